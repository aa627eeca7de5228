import { type ContractSchema, withAllOf } from '../../contract/schema/schema.js';

/** A password and a binary can have U+0000. */
export const formatsWithoutNul: ReadonlySet<string> = new Set(
  'byte date date-time duration email hostname ipv4 ipv6 time uri uri-reference uuid'.split(' '),
);

/** PostgreSQL cannot store U+0000 (PostgreSQL documentation, sections 8.3 and 8.14). */
export function admitsNul(schema: ContractSchema): boolean {
  const parts = withAllOf(schema);
  const values = parts.find((part) => part.enum !== undefined)?.enum;
  if (values !== undefined) return values.some((value) => String(value).includes('\0'));
  const choices = parts.flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
  switch (parts.find(({ type }) => type !== undefined)?.type) {
    case 'string':
      // One part of allOf can exclude U+0000.
      return parts.every(textAdmitsNul);
    case 'array':
      return parts.every(({ items }) => items === undefined || admitsNul(items));
    case 'object':
      // OpenAPI 3.0 cannot restrict the names of additional members.
      return (
        parts.some(({ additionalProperties }) => additionalProperties) ||
        [...parts.flatMap(({ properties = {} }) => Object.values(properties)), ...choices].some(admitsNul)
      );
    case undefined:
      return choices.length === 0 || choices.some(admitsNul);
    default:
      return false;
  }
}

function textAdmitsNul({ format, pattern }: ContractSchema): boolean {
  if (format !== undefined && formatsWithoutNul.has(format)) return false;
  return typeof pattern !== 'string' || !excludesNul(pattern);
}

const lookaround = /\(\?<?[=!](?:\\.|\[(?:\\.|[^\]])*\]|[^()\\[])*\)/gu;
/** The parts of a pattern that can match U+0000: escapes, classes and dots. */
const atom =
  /\\(?:x[0-9a-f]{2}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|[pP]\{[^}]*\}|c[a-z]|k<\w+>|.)|\[(?:\\.|[^\]\\])*\]|\./giu;

/** Whether the pattern spans the text and no atom matches U+0000. */
function excludesNul(pattern: string): boolean {
  const [, inner] = /^\^(.*)\$$/su.exec(pattern) ?? [];
  if (inner === undefined) return false;
  const taken = inner.replaceAll(lookaround, '');
  // In "^a|b$", neither alternative spans the text.
  let outside = taken.replaceAll(atom, '');
  for (let inside = ''; inside !== outside; ) {
    inside = outside;
    outside = inside.replaceAll(/\([^()]*\)/g, '');
  }
  if (outside.includes('|')) return false;
  const atoms = taken.match(atom) ?? [];
  // Word boundaries and back references match no character of their own.
  return atoms.every((part) => /^\\[bBk1-9]/.test(part) || !new RegExp(part, 'u').test('\0'));
}
