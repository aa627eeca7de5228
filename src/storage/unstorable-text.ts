import { type ContractSchema, withAllOf } from '../contract/schema.js';

/** The formats of ajv-formats that no text with U+0000 fits. (byte and url are not among them.) */
export const formatsWithoutNul: ReadonlySet<string> = new Set(
  'date date-time duration email hostname ipv4 ipv6 time uri uuid'.split(' '),
);

/**
 * Whether some value of a schema has the character U+0000 in a text or in the name of a member. PostgreSQL stores it
 * neither in text nor in jsonb (its documentation, sections 8.3 and 8.14).
 */
export function admitsNul(schema: ContractSchema): boolean {
  const parts = withAllOf(schema);
  const values = parts.find((part) => part.enum !== undefined)?.enum;
  if (values !== undefined) return values.some((value) => String(value).includes('\0'));
  const choices = parts.flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
  switch (parts.find(({ type }) => type !== undefined)?.type) {
    case 'string':
      // One part is enough to exclude it.
      return parts.every(textAdmitsNul);
    case 'array':
      return parts.every(({ items }) => items === undefined || admitsNul(items));
    case 'object':
      // OpenAPI 3.0 has no word for the names of members that a schema does not name.
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

/** What looks ahead or behind takes no character, and of an atom only what it takes counts. */
const lookaround = /\(\?<?[=!](?:\\.|\[(?:\\.|[^\]])*\]|[^()\\[])*\)/gu;
const atom =
  /\\(?:x[0-9a-f]{2}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|[pP]\{[^}]*\}|c[a-z]|k<\w+>|.)|\[(?:\\.|[^\]\\])*\]|\./giu;

/** Whether no match has U+0000 in it: the pattern spans the whole text, and none of its atoms takes that character. */
function excludesNul(pattern: string): boolean {
  const [, inner] = /^\^(.*)\$$/su.exec(pattern) ?? [];
  if (inner === undefined) return false;
  const taken = inner.replaceAll(lookaround, '');
  // The ends hold a group of alternatives, but of alternatives without a group only the first and the last.
  let outside = taken.replaceAll(atom, '');
  for (let inside = ''; inside !== outside; ) {
    inside = outside;
    outside = inside.replaceAll(/\([^()]*\)/g, '');
  }
  if (outside.includes('|')) return false;
  const atoms = taken.match(atom) ?? [];
  // Neither a word boundary nor a reference to a group takes a character of its own.
  return atoms.every((part) => /^\\[bBk1-9]/.test(part) || !new RegExp(part, 'u').test('\0'));
}
