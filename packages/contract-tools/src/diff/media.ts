/** Compares the media types of a body, and the schema of each. */
import { exactJson } from '../../../exact-json/index.js';
import type { Direction, Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import { idInSchema, type SchemaSubject } from './ids.js';
import { compareSchemas } from './schema/schema.js';
import { eitherAt, shown } from './values.js';

/** The part of an operation that a change is about. */
export interface Part {
  readonly subject: SchemaSubject;
  readonly part: string;
  /** The name of the parameter or the header. */
  readonly name?: string | undefined;
  readonly status?: string;
}

/**
 * Compares the media types in `content`, each with its schema.
 *
 * @param base a body or a response of the old contract
 */
export function compareContent(base: Node, next: Node, part: Part): FoundChange[] {
  const before = mediaTypes(base);
  const after = mediaTypes(next);
  const idOf = <Kind extends 'media-type-added' | 'media-type-removed' | 'media-type-widened'>(kind: Kind) =>
    `${part.subject}-${kind}` as const;
  return compareEntries<Node, FoundChange>(before, after, {
    both: (old, now, name) => compareMedia(name, [old, now], part),
    removed: (old, name) => {
      const range = rangeFor(name, after);
      if (range === undefined)
        return [{ ...part, id: idOf('media-type-removed'), at: old.use, what: `media type ${name} removed` }];
      // A media type that was listed by name is still allowed if a range contains it.
      const what = `media type ${name} → ${range.entry.at(-1)}`;
      return [
        { ...part, id: idOf('media-type-widened'), at: range.use, what },
        ...compareMedia(name, [old, range], part),
      ];
    },
    added: (now, name) => {
      const range = rangeFor(name, before);
      // What was sent before is read by what the range said; now this says it.
      if (range !== undefined) return compareMedia(name, [range, now], part);
      // A client says with Accept what it reads, so it meets a further type only if it asks for it.
      return [
        { ...part, id: idOf('media-type-added'), adds: true, at: now.use, what: `media type ${name} added` },
      ];
    },
  });
}

/**
 * Compares the schemas of two media types, parameters or headers.
 *
 * @param key a stream has a schema for each of its items (OpenAPI 3.2, "Media Type Object")
 */
export function compareSchemaOf(
  base: Node,
  next: Node,
  part: Part,
  { isXml = false, key = 'schema' }: { isXml?: boolean; key?: 'schema' | 'itemSchema' } = {},
): FoundChange[] {
  const schemas = (node: Node) => [node.at(key)].flatMap((schema) => schema ?? []);
  return compareSchemas(schemas(base), schemas(next), { direction: directionOf(part), isXml }).map(
    ({ kind, adds, at, member, what }) => ({
      ...part,
      id: idInSchema(part.subject, member, kind),
      adds,
      at,
      member,
      what,
    }),
  );
}

/** How the parts of a form are written: OpenAPI 3.2 has two more keys for parts without names. */
const encodings = ['encoding', 'prefixEncoding', 'itemEncoding'] as const;

function directionOf({ subject }: Part): Direction {
  return subject.startsWith('request') ? 'request' : 'response';
}

function compareMedia(name: string, [base, next]: readonly [Node, Node], part: Part): FoundChange[] {
  const isXml = /[/+]xml(;|$)/.test(name);
  const changes = [
    ...compareSchemaOf(base, next, part, { isXml }),
    ...compareSchemaOf(base, next, part, { isXml, key: 'itemSchema' }),
  ];
  const [before, after] = [base, next].map((media) =>
    encodings.map((key) => exactJson(media.at(key)?.value ?? {})).join('\n'),
  );
  // OpenAPI 3.0.3, Media Type Object: only the forms of a request have an encoding.
  const isForm = name.startsWith('multipart/') || name.startsWith('application/x-www-form-urlencoded');
  const { subject } = part;
  if (subject !== 'request-body' || !isForm || before === after) return changes;
  const key = encodings.find((one) => (next.at(one) ?? base.at(one)) !== undefined) ?? 'encoding';
  const at = eitherAt(base, next, key);
  const told = (media: Node) =>
    encodings
      .flatMap((one) => media.at(one) ?? [])
      .map(({ value }) => shown(value))
      .join(', ') || 'none';
  const what = `encoding ${told(base)} → ${told(next)}`;
  return [...changes, { ...part, id: `${subject}-encoding-changed`, at, what }];
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
