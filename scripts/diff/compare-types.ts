import { type Difference, effectOf } from './change.js';
import type { Shape } from './shape.js';
import { allTypes, type TypeName } from './types.js';

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
