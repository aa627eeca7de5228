/** Compares the media types of a body, and the schema of each. */
import { exactJson } from '../../../src/schema/exact-json.js';
import type { Direction, Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import { compareSchemas } from './schema/schema.js';
import { eitherAt } from './values.js';

/** The part of an operation that a change is about. */
export interface Part {
  readonly part: string;
  readonly status?: string;
}

/**
 * Compares the media types in `content`, each with its schema.
 *
 * @param base a body or a response of the old contract
 */
export function compareContent(base: Node, next: Node, direction: Direction, part: Part): FoundChange[] {
  const before = mediaTypes(base);
  const after = mediaTypes(next);
  return compareEntries<Node, FoundChange>(before, after, {
    both: (old, now, name) => compareMedia(name, [old, now], direction, part),
    removed: (old, name) => {
      const range = rangeFor(name, after);
      if (range === undefined)
        return [{ ...part, breaking: true, at: old.use, what: `media type ${name} removed` }];
      // A media type that was listed by name is still allowed if a range contains it.
      const what = `media type ${name} → ${range.entry.at(-1)}`;
      return [
        { ...part, breaking: false, at: range.use, what },
        ...compareMedia(name, [old, range], direction, part),
      ];
    },
    added: (now, name) => {
      const range = rangeFor(name, before);
      // What was sent before is read by what the range said; now this says it.
      if (range !== undefined) return compareMedia(name, [range, now], direction, part);
      // A client says with Accept what it reads, so it meets a further type only if it asks for it.
      return [{ ...part, breaking: false, adds: true, at: now.use, what: `media type ${name} added` }];
    },
  });
}

/** Compares the schemas of two media types, parameters or headers. */
export function compareSchemaOf(
  base: Node,
  next: Node,
  direction: Direction,
  part: Part,
  isXml = false,
): FoundChange[] {
  const schemas = (node: Node) => [node.at('schema')].flatMap((schema) => schema ?? []);
  return compareSchemas(schemas(base), schemas(next), { direction, isXml }).map(
    ({ breaking, adds, at, member, what }) => ({
      ...part,
      breaking,
      adds,
      at,
      what: member === '' ? what : `\`${member}\` ${what}`,
    }),
  );
}

function compareMedia(
  name: string,
  [base, next]: readonly [Node, Node],
  direction: Direction,
  part: Part,
): FoundChange[] {
  const changes = compareSchemaOf(base, next, direction, part, /[/+]xml(;|$)/.test(name));
  const [before, after] = [base, next].map((media) => exactJson(media.at('encoding')?.value ?? {}));
  // OpenAPI 3.0.3, Media Type Object: only the forms of a request have an encoding.
  const isForm = name.startsWith('multipart/') || name.startsWith('application/x-www-form-urlencoded');
  if (direction === 'response' || !isForm || before === after) return changes;
  const at = eitherAt(base, next, 'encoding');
  return [...changes, { ...part, breaking: true, at, what: 'encoding changed' }];
}

/** Media types are case-insensitive, and may have spaces before their parameters. */
function mediaTypes(node: Node): Map<string, Node> {
  const members = node.at('content')?.members() ?? [];
  return new Map(members.map(([name, media]) => [normal(name), media]));
}

function normal(mediaType: string): string {
  const text = mediaType.toLowerCase().replaceAll(' ', '');
  // The charset of JSON has no meaning (RFC 8259, section 11).
  return /^[^;]*[/+]json;/.test(text) ? text.replace(/;charset=[^;]*/, '') : text;
}

/** The narrowest range that contains a media type without an entry of its own. */
function rangeFor(name: string, entries: ReadonlyMap<string, Node>): Node | undefined {
  const [type = ''] = name.split('/');
  return entries.get(`${type}/*`) ?? entries.get('*/*');
}
