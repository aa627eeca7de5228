/** Compares the verdict of diff:contract with what the server's own validator accepts before and after. */
import { exactJson, type JsonValue } from '../../../exact-json/index.js';
import { type ContractSchema, compileSchema, subschemasOf } from '../../../service/layer.js';
import { Random } from '../../src/base/random.js';
import { compareContracts } from '../../src/diff/compare.js';
import { type ApiDocument, readDocument } from '../../src/document/read-document.js';
import { membersOf, namesRequired, valueNear } from './random-values.js';

export type Direction = 'request' | 'response';

export interface SchemaPair {
  readonly base: ContractSchema;
  readonly next: ContractSchema;
}

export function changesIn({ base, next }: SchemaPair, direction: Direction) {
  return compareContracts(contractWith(base, direction), contractWith(next, direction));
}

export function isBreaking(pair: SchemaPair, direction: Direction): boolean {
  return changesIn(pair, direction).some(({ breaking }) => breaking);
}

function contractWith(schema: ContractSchema, direction: Direction): ApiDocument {
  const content = { 'application/json': { schema } };
  const description = 'Done.';
  const post =
    direction === 'request'
      ? { requestBody: { content }, responses: { '204': { description } } }
      : { responses: { '200': { description, content } } };
  const info = { title: 'A pair of schemas', version: '1.0.0' };
  return readDocument(exactJson({ openapi: '3.0.3', info, paths: { '/pairs': { post } } }), 'a pair');
}

/** Whether a server accepts a value. */
type Judge = (value: JsonValue) => boolean;

/** @returns undefined if the layer refuses to serve one of the schemas */
export function judgesOf({ base, next }: SchemaPair): { before: Judge; after: Judge } | undefined {
  try {
    const [before, after] = [compileSchema(base), compileSchema(next)];
    return {
      before: (value) => before(value) === undefined,
      after: (value) => after(value) === undefined,
    };
  } catch {
    return undefined;
  }
}

/** A value that proves a break, if one of `count` random values does. */
export function witnessOf(
  pair: SchemaPair,
  direction: Direction,
  { seed, count }: { readonly seed: number; readonly count: number },
): JsonValue | undefined {
  const judges = judgesOf(pair);
  if (judges === undefined) return undefined;
  const random = new Random(seed);
  for (let tried = 0; tried < count; tried += 1) {
    const value = valueNear([random.once(2) ? pair.base : pair.next], random);
    if (provesBreak(value, pair, direction, judges)) return value;
  }
  return undefined;
}

/**
 * A sender breaks if the new server refuses what the old one accepted; a reader breaks if the new server may answer
 * what the old one could not.
 */
export function provesBreak(
  value: JsonValue,
  { base }: SchemaPair,
  direction: Direction,
  { before, after }: { before: Judge; after: Judge },
): boolean {
  if (direction === 'response') return after(value) && !before(value);
  return isKnownTo([base], value) && before(value) && !after(value);
}

/**
 * Whether the schemas name all members of the value. A client must not send other members, so a new member
 * may have any schema (docs/breaking-changes.md).
 */
function isKnownTo(schemas: readonly ContractSchema[], value: JsonValue): boolean {
  const parts = schemas.flatMap(subschemasOf);
  if (Array.isArray(value)) {
    const items = parts.map((part) => part.items).filter((part) => part !== undefined);
    return value.every((item) => isKnownTo(items, item));
  }
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => {
    const members = membersOf(parts, name).filter((schema) => Object.keys(schema).length > 0);
    const named = parts.some((part) => name in (part.properties ?? {}) || namesRequired(part).includes(name));
    return (named || members.length > 0) && isKnownTo(members, member);
  });
}
