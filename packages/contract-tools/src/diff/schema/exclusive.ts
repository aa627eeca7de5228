/** Decides whether two schemas certainly have no value in common. choice.ts says what depends on it. */
import { isMap } from '../../../../exact-json/index.js';
import { below } from '../values.js';
import { shapeOf } from './shape.js';
import type { Schemas, Shape } from './shape-types.js';

/**
 * Whether it is certain that no value fits both: they have no type in common, their enums have no value in
 * common, or one requires a member that the other forbids or gives other values. It is `false` if that is
 * unknown.
 *
 * @param one schemas that all hold for the value
 * @param depth how many levels of members and alternatives count, because schemas may contain themselves
 */
export function areExclusive(one: Schemas, other: Schemas, depth = 4): boolean {
  const [first, ...more] = one;
  const [second, ...others] = other;
  if (first === undefined || second === undefined || depth === 0) return false;
  if (more.length + others.length > 0 || !isMap(first.value) || !isMap(second.value))
    return shareNothing(one, other, depth);
  const told = known.get(first.value) ?? new WeakMap<object, Map<number, boolean>>();
  const byDepth = told.get(second.value) ?? new Map<number, boolean>();
  const verdict = byDepth.get(depth) ?? shareNothing(one, other, depth);
  known.set(first.value, told.set(second.value, byDepth.set(depth, verdict)));
  return verdict;
}

/** By the values of two single schemas, for each depth: a list of alternatives asks for each pair again and again. */
const known = new WeakMap<object, WeakMap<object, Map<number, boolean>>>();

function shareNothing(one: Schemas, other: Schemas, depth: number): boolean {
  const [a, b] = [shapeOf(one), shapeOf(other)];
  return (
    haveOtherValues(a, b) ||
    haveOtherTypes(a, b, depth) ||
    hasOnlyExclusiveAlternatives(a, other, depth) ||
    hasOnlyExclusiveAlternatives(b, one, depth)
  );
}

function haveOtherValues({ values: a }: Shape, { values: b }: Shape): boolean {
  return a !== undefined && b !== undefined && !a.value.some((value) => b.value.includes(value));
}

function haveOtherTypes(a: Shape, b: Shape, depth: number): boolean {
  const shared = [...a.types.value].filter((type) => b.types.value.has(type));
  return shared.every((type) => type === 'object' && haveOtherMembers(a, b, depth));
}

function haveOtherMembers(a: Shape, b: Shape, depth: number): boolean {
  return [...a.required.keys(), ...b.required.keys()].some((name) => {
    const [one, other] = [memberOf(a, name), memberOf(b, name)];
    const schemas = [...(one ?? []), ...(other ?? [])];
    // Such a member may be absent, although it is required.
    if (schemas.some((schema) => schema.flag('readOnly') || schema.flag('writeOnly'))) return false;
    if (one === undefined || other === undefined) return true;
    return areExclusive(one, other, depth - 1);
  });
}

/** The schemas of a member; undefined if it is forbidden. */
function memberOf({ members, others }: Shape, name: string): Schemas | undefined {
  return members.get(name) ?? (others.closed === undefined ? others.schemas : undefined);
}

function hasOnlyExclusiveAlternatives({ choices }: Shape, other: Schemas, depth: number): boolean {
  return choices.some((choice) =>
    below(choice).every((alternative) => areExclusive([alternative], other, depth - 1)),
  );
}
