/**
 * Finds out whether a schema admits a text with U+0000, which PostgreSQL cannot store (PostgreSQL
 * documentation, sections 8.3 and 8.14). Such a text would pass the validation, and then be a 500.
 *
 * A text cannot have it if its format excludes it, if its `enum` does not list it, or if its pattern excludes
 * it. To find out whether a pattern does, `excludesNul` takes it apart: the pattern must span the whole text,
 * and each class, escape and dot in it is tried on U+0000. For example, `^[^\x00]*$` excludes it, `^.*$`
 * admits it, and `[^\x00]` admits it, too, because it says nothing of the rest of the text. A schema in doubt
 * counts as one that admits it.
 */
import { type ContractSchema, typesOf, withAllOf } from '../../schema/schema.js';

/** The formats whose texts never contain U+0000. A password and a binary can. */
export const formatsWithoutNul: ReadonlySet<string> = new Set(
  'byte date date-time duration email hostname ipv4 ipv6 time uri uri-reference uuid'.split(' '),
);

/** @returns whether a value of the schema may contain U+0000 */
export function admitsNul(schema: ContractSchema): boolean {
  const parts = withAllOf(schema);
  const values = parts.find((part) => part.enum !== undefined)?.enum;
  if (values !== undefined) return values.some((value) => String(value).includes('\0'));
  const choices = parts.flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
  const types = parts.map(typesOf).find((named) => named.length > 0);
  if (types === undefined) return choices.length === 0 || choices.some(admitsNul);
  return types.some((type) => typeAdmitsNul(type, parts, choices));
}

function typeAdmitsNul(
  type: string,
  parts: readonly ContractSchema[],
  choices: readonly ContractSchema[],
): boolean {
  switch (type) {
    case 'string':
      // One part of allOf can exclude U+0000.
      return parts.every(textAdmitsNul);
    case 'array':
      return parts.every(
        ({ items, prefixItems = [] }) => items === undefined || [items, ...prefixItems].some(admitsNul),
      );
    case 'object':
      // Nothing here reads the patterns of additional members.
      return (
        parts.some(
          ({ additionalProperties, patternProperties, unevaluatedProperties }) =>
            additionalProperties || patternProperties || unevaluatedProperties,
        ) ||
        [...parts.flatMap(({ properties = {} }) => Object.values(properties)), ...choices].some(admitsNul)
      );
    default:
      return false;
  }
}

function textAdmitsNul({ format, pattern }: ContractSchema): boolean {
  if (format !== undefined && formatsWithoutNul.has(format)) return false;
  return typeof pattern !== 'string' || !excludesNul(pattern);
}

// Short text: it is a pattern of the contract, which its author has written.
const lookaround = /\(\?<?[=!](?:\\.|\[(?:\\.|[^\]\\])*\]|[^()\\[])*\)/gu;
/**
 * The parts of a pattern that can match U+0000: escapes, classes and dots.
 *
 * Short text: it is a pattern of the contract, which its author has written.
 */
const atom =
  /\\(?:x[0-9a-f]{2}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|[pP]\{[^}]*\}|c[a-z]|k<\w+>|.)|\[(?:\\.|[^\]\\])*\]|\./giu;

/** @returns whether the pattern spans the text, and no part of it matches U+0000 */
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
