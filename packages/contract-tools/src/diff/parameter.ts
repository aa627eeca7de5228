/** Compares the parameters of an operation, and how a parameter or a header is written. */

import type { Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import { kebab, type WrittenKind } from './ids.js';
import { compareContent, compareSchemaOf, type Part } from './media.js';
import type { PathOperation } from './operations.js';
import { shapeOf } from './schema/shape.js';
import { eitherAt } from './values.js';

/** A parameter is part of a request, a header here of a response. */
type WrittenPart = Part & { readonly subject: 'request-parameter' | 'response-header' };

/** OpenAPI 3.0.3 ignores header parameters with these names. */
const ignored = ['header accept', 'header content-type', 'header authorization'];

export function compareParameters(base: PathOperation, next: PathOperation): FoundChange[] {
  return compareEntries<Node, FoundChange>(parametersOf(base), parametersOf(next), {
    both: (old, now) => [
      ...compareNames(old, now),
      ...compareWriting(old, now),
      ...compareParameter(old, now, { ...partOf(old), subject: 'request-parameter' }),
    ],
    removed: (old) => [{ ...partOf(old), id: 'request-parameter-removed', at: old.use, what: 'removed' }],
    added: (now) => {
      const required = now.flag('required');
      const id = required ? 'request-parameter-added-required' : 'request-parameter-added';
      const what = `added, ${required ? 'required' : 'optional'}`;
      return [{ ...partOf(now), id, adds: true, at: now.use, what }];
    },
  });
}

/**
 * Compares how a parameter or a header is written, and its schema.

 */
export function compareParameter(base: Node, next: Node, part: WrittenPart): FoundChange[] {
  const place = base.text('in') ?? 'header';
  const change = (kind: WrittenKind, key: string, what: string): FoundChange => ({
    ...part,
    id: `${part.subject}-${kind}`,
    at: eitherAt(base, next, key),
    what,
  });
  const changes: FoundChange[] = [];
  if (base.flag('required') !== next.flag('required')) {
    const required = next.flag('required');
    changes.push(
      required
        ? change('became-required', 'required', 'required now')
        : change('became-optional', 'required', 'no longer required'),
    );
  }
  if (
    isExploded(base, place) !== isExploded(next, place) &&
    [base, next].some((one) => isExplodable(one, place))
  ) {
    changes.push(
      change('explode-changed', 'explode', `explode ${isExploded(base, place)} → ${isExploded(next, place)}`),
    );
  }
  if ((base.at('content') === undefined) !== (next.at('content') === undefined)) {
    return [...changes, change('content-changed', 'content', 'schema and content exchanged')];
  }
  return [...changes, ...compareContent(base, next, part), ...compareSchemaOf(base, next, part)];
}

/** Compares how a parameter is written, and a header never is. */
export function compareWriting(base: Node, next: Node): FoundChange[] {
  const part = partOf(base);
  const place = base.text('in') ?? '';
  const style = `style ${styleOf(base, place)} → ${styleOf(next, place)}`;
  const changes: FoundChange[] =
    styleOf(base, place) === styleOf(next, place)
      ? []
      : [{ ...part, id: 'request-parameter-style-changed', at: eitherAt(base, next, 'style'), what: style }];
  const flags = ['allowReserved', 'allowEmptyValue'] as const;
  const changed = flags.filter((key) => base.flag(key) !== next.flag(key));
  return [
    ...changes,
    ...changed.map((key): FoundChange => {
      const how = base.flag(key) ? 'removed' : 'added';
      const what = `${key} ${base.flag(key)} → ${next.flag(key)}`;
      return { ...part, id: `request-parameter-${kebab(key)}-${how}`, at: eitherAt(base, next, key), what };
    }),
  ];
}

/**
 * Compares the names of path parameters. Another name is breaking, though nothing on the wire changes:
 * callers of a generated client write it (docs/breaking-changes.md).
 */
function compareNames(base: Node, next: Node): FoundChange[] {
  const before = base.text('name');
  const after = next.text('name');
  if (base.text('in') !== 'path' || before === after) return [];
  return [
    { ...partOf(base), id: 'request-parameter-renamed', at: next.use, what: `is called \`${after}\` now` },
  ];
}

/**
 * Returns the parameters of an operation by a key that is the same in both contracts: the position of a path
 * parameter, the name of any other. The names of headers are case-insensitive.
 */
export function parametersOf({ path, item, operation }: PathOperation): Map<string, Node> {
  const positions = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  const lists = [item, operation].flatMap((node) => node.list('parameters'));
  const entries = lists.map((parameter) => {
    const place = parameter.text('in') ?? '';
    const name = parameter.text('name') ?? '';
    const mark = place === 'path' ? String(positions.indexOf(name)) : name;
    return [`${place} ${place === 'header' ? mark.toLowerCase() : mark}`, parameter] as const;
  });
  return new Map(entries.filter(([key]) => !ignored.includes(key)));
}

export function partOf(parameter: Node): Pick<Part, 'part' | 'name'> {
  const name = parameter.text('name');
  return { part: `${parameter.text('in')} parameter \`${name}\``, name };
}

function styleOf(parameter: Node, place: string): string {
  return parameter.text('style') ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
}

function isExploded(parameter: Node, place: string): boolean {
  const written = parameter.at('explode')?.value;
  return typeof written === 'boolean' ? written : styleOf(parameter, place) === 'form';
}

/**
 * Whether `explode` changes how a value is written: only that of objects, and that of lists in any style but
 * `simple` (RFC 6570, section 3.2.2).
 */
function isExplodable(parameter: Node, place: string): boolean {
  const schema = parameter.at('schema');
  if (schema === undefined) return false;
  const types = shapeOf([schema]).types.value;
  return types.has('object') || (types.has('array') && styleOf(parameter, place) !== 'simple');
}
