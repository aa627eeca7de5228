import { canonical } from '../../kit/canonical.js';
import type { Direction, FoundChange } from './change.js';
import { eitherAt, type Node } from './node.js';
import { compareSchemas } from './schema.js';

/** The part of an operation that findings are about. */
export interface Part {
  readonly part: string;
  readonly status?: string;
}

/** The media types in `content`, each with its schema. */
export function compareContent(base: Node, next: Node, direction: Direction, part: Part): FoundChange[] {
  const before = mediaTypes(base);
  const after = mediaTypes(next);
  return [
    ...[...before].flatMap(([name, media]) => {
      const known = mediaFor(name, after);
      return known === undefined
        ? [{ ...part, breaking: true, at: media.use, what: `media type ${name} removed` }]
        : [...compareRange(name, known, part), ...compareMedia(media, known, direction, part)];
    }),
    ...[...after]
      .filter(([name]) => !before.has(name))
      .flatMap(([name, media]) => {
        const known = mediaFor(name, before);
        return known === undefined
          ? // A client says with Accept what it reads, so it meets a further type only if it asks for it.
            [{ ...part, breaking: false, adds: true, at: media.use, what: `media type ${name} added` }]
          : // What was sent before is read by what the range said; now this says it.
            compareMedia(known, media, direction, part);
      }),
  ];
}

/** The schema of a media type, a parameter or a header. */
export function compareSchemaOf(base: Node, next: Node, direction: Direction, part: Part): FoundChange[] {
  const schemas = (node: Node) => [node.get('schema')].flatMap((schema) => schema ?? []);
  return compareSchemas(schemas(base), schemas(next), direction).map(
    ({ breaking, adds, at, member, what }) => ({
      ...part,
      breaking,
      adds,
      at,
      what: member === '' ? what : `\`${member}\` ${what}`,
    }),
  );
}

function compareMedia(base: Node, next: Node, direction: Direction, part: Part): FoundChange[] {
  const encodings = [base, next].map((media) => canonical(media.get('encoding')?.value ?? {}));
  const at = eitherAt(base, next, 'encoding');
  return [
    ...compareSchemaOf(base, next, direction, part),
    ...(encodings[0] === encodings[1] ? [] : [{ ...part, breaking: true, at, what: 'encoding changed' }]),
  ];
}

/** A media type that was listed by name is still allowed if a range contains it. */
function compareRange(name: string, known: Node, part: Part): FoundChange[] {
  const range = String(known.entry.at(-1));
  if (normal(range) === name) return [];
  return [{ ...part, breaking: false, at: known.use, what: `media type ${name} → ${range}` }];
}

/** Media types are case-insensitive, and may have spaces before their parameters. */
function mediaTypes(node: Node): Map<string, Node> {
  const members = [...(node.get('content')?.members() ?? [])];
  return new Map(members.map(([name, media]) => [normal(name), media]));
}

function normal(mediaType: string): string {
  return mediaType.toLowerCase().replaceAll(' ', '');
}

/** The entry for a media type: its own, else the narrowest range that contains it. */
function mediaFor(name: string, entries: ReadonlyMap<string, Node>): Node | undefined {
  const [type = ''] = name.split('/');
  return entries.get(name) ?? entries.get(`${type}/*`) ?? entries.get('*/*');
}
