/** Compares the types that a schema allows, with `null` among them. */
import type { Node } from '../../document/node.js';
import { type Difference, effectOf } from '../change.js';
import { changeBy } from '../ids.js';
import type { At } from '../values.js';
import { lonesOf, typesIn } from './parts.js';
import type { Shape, TypeName } from './shape-types.js';
import { allTypes } from './type-names.js';

/**
 * Finds the types that every schema allows.
 *
 * @param parts the schemas, and those in them that hold for the same value
 * @throws {TypeError} if there is no part
 */
export function typesOf(schemas: readonly Node[], parts: readonly Node[]): At<ReadonlySet<TypeName>> {
  const [first] = parts;
  if (first === undefined) throw new TypeError('A type needs a schema.');
  const sets = schemas.map((schema) => typesIn(schema));
  const shared = allTypes.filter((name) => sets.every((set) => set.has(name)));
  return { value: new Set(shared), at: parts.flatMap((part) => part.at('type') ?? [])[0] ?? first };
}

/** Finds the place that allows null: in a list of types, or an alternative of its own. */
export function nullPlaceOf(parts: readonly Node[]): Node | undefined {
  return parts.flatMap((part) => [
    ...part.list('type').filter(({ value }) => value === 'null'),
    ...lonesOf(part).flatMap(({ nullAt }) => nullAt ?? []),
  ])[0];
}

export function compareTypes(base: Shape, next: Shape): Difference[] {
  const before = without(base.types.value);
  const after = without(next.types.value);
  const nullBefore = base.types.value.has('null');
  const nullAfter = next.types.value.has('null');
  const effect = effectOf(before, after);
  const differences: Difference[] = [];
  if (effect !== undefined) {
    differences.push({
      kind: `type-${changeBy(effect)}`,
      at: next.types.at,
      what: `type ${named(before)} → ${named(after)}`,
    });
  }
  // A schema without a type allows null as well; that a type came or went is said already.
  const untyped = [before, after].some((types) => types.length === allTypes.length - 1);
  if (nullBefore !== nullAfter && !(untyped && effect !== undefined)) {
    differences.push({
      kind: nullAfter ? 'null-allowed' : 'null-forbidden',
      at: next.nullAt ?? base.nullAt ?? next.types.at,
      what: nullAfter ? 'null is allowed now' : 'null is no longer allowed',
    });
  }
  return differences;
}

function without(types: ReadonlySet<TypeName>): TypeName[] {
  return [...types].filter((name) => name !== 'null');
}

function named(types: readonly TypeName[]): string {
  if (types.length === allTypes.length - 1) return 'any';
  const names = types.includes('fraction') ? types.filter((name) => name !== 'integer') : types;
  return names.map((name) => (name === 'fraction' ? 'number' : name)).join(' or ') || 'none';
}
