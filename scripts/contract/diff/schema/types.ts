/** Compares the types that a schema allows, with `null` among them. */
import { type Difference, effectOf } from '../change.js';
import type { At, Node } from '../node.js';
import type { Shape } from './shape.js';

/** The types of OpenAPI 3.0, with `number` split: a `fraction` is a number that is not an integer. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';

const allTypes: readonly TypeName[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'];

/**
 * Finds the types that every part allows.
 *
 * @throws {TypeError} if there is no part
 */
export function typesOf(parts: readonly Node[]): At<ReadonlySet<TypeName>> {
  const [first] = parts;
  if (first === undefined) throw new TypeError('A type needs a schema.');
  const sets = parts.map(ownTypes);
  const shared = allTypes.filter((name) => sets.every((set) => set.includes(name)));
  // OpenAPI 3.0.3 gives `nullable` no meaning without `type` beside it, but
  // `{ nullable: true, allOf: [{ $ref: … }] }` is how people write it, and generators believe them.
  const meant = first.is('nullable') && first.text('type') === undefined && !shared.includes('null');
  return {
    value: new Set(meant ? [...shared, 'null' as const] : shared),
    at: parts.flatMap((part) => part.get('type') ?? [])[0] ?? first,
  };
}

function ownTypes(schema: Node): readonly TypeName[] {
  const type = schema.text('type');
  if (type === undefined) return allTypes;
  const own = allTypes.filter((name) => name === type || (type === 'number' && isNumber(name)));
  return schema.is('nullable') ? [...own, 'null'] : own;
}

function isNumber(name: TypeName): boolean {
  return name === 'integer' || name === 'fraction';
}

export function compareTypes(base: Shape, next: Shape): Difference[] {
  const before = without(base.types.value);
  const after = without(next.types.value);
  const nullBefore = base.types.value.has('null');
  const nullAfter = next.types.value.has('null');
  const effect = effectOf(before, after);
  const differences: Difference[] = [];
  if (effect !== undefined) {
    differences.push({ effect, at: next.types.at, what: `type ${named(before)} → ${named(after)}` });
  }
  // A schema without a type allows null as well; that a type came or went is said already.
  const untyped = [before, after].some((types) => types.length === allTypes.length - 1);
  if (nullBefore !== nullAfter && !(untyped && effect !== undefined)) {
    differences.push({
      effect: nullAfter ? 'wider' : 'narrower',
      at: next.nullable ?? base.nullable ?? next.types.at,
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
