/** Compares the parameters of an operation, and how a parameter or a header is written. */

import type { Direction, Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import { compareContent, compareSchemaOf, type Part } from './media.js';
import type { PathOperation } from './operations.js';
import { shapeOf } from './schema/shape.js';
import { eitherAt } from './values.js';

/** OpenAPI 3.0.3 ignores header parameters with these names. */
const ignored = ['header accept', 'header content-type', 'header authorization'];

export function compareParameters(base: PathOperation, next: PathOperation): FoundChange[] {
  return compareEntries<Node, FoundChange>(parametersOf(base), parametersOf(next), {
    both: (old, now) => [
      ...compareNames(old, now),
      ...compareParameter(old, now, 'request', { part: partOf(old) }),
    ],
    removed: (old) => [{ part: partOf(old), breaking: true, at: old.use, what: 'removed' }],
    added: (now) => {
      const required = now.flag('required');
      const what = `added, ${required ? 'required' : 'optional'}`;
      return [{ part: partOf(now), breaking: required, adds: true, at: now.use, what }];
    },
  });
}

/**
 * Compares how a parameter or a header is written, and its schema.
 *
 * @param direction a parameter is part of a request, a header here of a response
 */
export function compareParameter(base: Node, next: Node, direction: Direction, part: Part): FoundChange[] {
  const place = base.text('in') ?? 'header';
  const change = (breaking: boolean, key: string, what: string): FoundChange => ({
    ...part,
    breaking,
    at: eitherAt(base, next, key),
    what,
  });
  const changes: FoundChange[] = [];
  if (base.flag('required') !== next.flag('required')) {
    const required = next.flag('required');
    const breaking = required === (direction === 'request');
    changes.push(change(breaking, 'required', required ? 'required now' : 'no longer required'));
  }
  const styles = [styleOf(base, place), styleOf(next, place)];
  if (styles[0] !== styles[1]) changes.push(change(true, 'style', `style ${styles.join(' → ')}`));
  if (isExploded(base, place) !== isExploded(next, place) && (isCompound(base) || isCompound(next))) {
    changes.push(change(true, 'explode', `explode ${isExploded(base, place)} → ${isExploded(next, place)}`));
  }
  for (const key of ['allowReserved', 'allowEmptyValue']) {
    if (base.flag(key) !== next.flag(key)) {
      changes.push(change(base.flag(key), key, `${key} ${base.flag(key)} → ${next.flag(key)}`));
    }
  }
  if ((base.at('content') === undefined) !== (next.at('content') === undefined)) {
    return [...changes, change(true, 'content', 'schema and content exchanged')];
  }
  return [
    ...changes,
    ...compareContent(base, next, direction, part),
    ...compareSchemaOf(base, next, direction, part),
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
  return [{ part: partOf(base), breaking: true, at: next.use, what: `is called \`${after}\` now` }];
}

/**
 * Returns the parameters of an operation by a key that is the same in both contracts: the position of a path
 * parameter, the name of any other. The names of headers are case-insensitive.
 */
function parametersOf({ path, item, operation }: PathOperation): Map<string, Node> {
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

function partOf(parameter: Node): string {
  return `${parameter.text('in')} parameter \`${parameter.text('name')}\``;
}

function styleOf(parameter: Node, place: string): string {
  return parameter.text('style') ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
}

function isExploded(parameter: Node, place: string): boolean {
  const written = parameter.at('explode')?.value;
  return typeof written === 'boolean' ? written : styleOf(parameter, place) === 'form';
}

/** Only lists and objects are written differently if they are exploded. */
function isCompound(parameter: Node): boolean {
  const schema = parameter.at('schema');
  if (schema === undefined) return false;
  const types = shapeOf([schema]).types.value;
  return types.has('array') || types.has('object');
}
