/**
 * Compares two schemas and all that is within them.
 *
 * Two schemas that allow the same values can look different: a component or its content, an `allOf` of two or
 * one schema with all keywords. So each schema first becomes a shape (shape.ts), which has its references and
 * `allOf` resolved. Then the shapes are compared, in this order:
 *
 * 1. If one of them is only a choice between alternatives, it is compared alternative by alternative
 *    (choice.ts).
 * 2. The types are compared (types.ts). Without a type in common, nothing else matters.
 * 3. The keywords of the value itself (keywords.ts, bounds.ts), its members (members.ts) and its items. For
 *    members and items, the comparison begins again with their schemas.
 * 4. What depends on the value: `if`, `dependentSchemas` and the like.
 * 5. Choices, `not` and discriminators; and `xml` and `default`, each as a whole.
 *
 * Each step finds that the allowed values became narrower, wider or other. change.ts says in which direction
 * that breaks somebody.
 *
 * Schemas can contain themselves: a comment has comments. A pair of schemas that was compared before has no
 * changes that are not told already, so the walk ends there.
 */
import type { Difference } from '../change.js';
import { breaksIn } from '../ids.js';
import { areUnchanged } from '../unchanged.js';
import { shown } from '../values.js';
import { compareAsAlternatives, compareChoices } from './choice.js';
import { compareConditions } from './conditions.js';
import { compareContains } from './contains.js';
import { compareDependents } from './dependents.js';
import { compareDiscriminators } from './discriminator.js';
import { compareItems } from './items.js';
import { compareKeywords, compareWhole } from './keywords.js';
import { compareMembers } from './members.js';
import { paired } from './pairs.js';
import { isRestricted, knownNames } from './parts.js';
import { shapeOf } from './shape.js';
import type { Schemas, Shape } from './shape-types.js';
import { compareTypes } from './types.js';
import { compareUnevaluated } from './unevaluated.js';
import { inMember, type SchemaChange, type SentValues, type Walk } from './walk.js';

/**
 * @param base schemas that must all hold; none allows any value
 * @returns the changes in the order of the steps above
 */
export function compareSchemas(base: Schemas, next: Schemas, values: SentValues): SchemaChange[] {
  return walkThrough(values, false, { breaks: new Map(), isEqual: new Map() }).compare(base, next, '');
}

/** What is known of pairs of schemas, for all trials of a comparison. */
interface Verdicts {
  readonly breaks: Map<string, boolean>;
  readonly isEqual: Map<string, boolean>;
}

function walkThrough(values: SentValues, seeksEquality: boolean, verdicts: Verdicts): Walk {
  const seen = new Set<string>();
  const walk: Walk = {
    ...values,
    seeksEquality,
    compare(base, next, member, knownMembers) {
      if (areUnchanged(base, next)) return [];
      const known = knownMembers ?? knownNames(base);
      const pair = JSON.stringify([keysOf(base), keysOf(next), ...known]);
      if (seen.has(pair)) return [];
      seen.add(pair);
      const [before, after] = [base.filter(isRestricted), next.filter(isRestricted)];
      if (before.length === 0 || after.length === 0) return compareWithAnything(before, after, member);
      return compareShapes(shapeOf(before), shapeOf(after), walk, member, known);
    },
    breaks(base, next) {
      const pair = JSON.stringify([keysOf(base), keysOf(next)]);
      const told = verdicts.breaks.get(pair);
      if (told !== undefined) return told;
      // Within itself, a schema that contains itself breaks nobody if nothing else does.
      verdicts.breaks.set(pair, false);
      const trial = walkThrough(values, false, verdicts).compare(base, next, '');
      if (!trial.some(({ kind }) => breaksIn(values.direction, kind))) return false;
      // What was found to break nobody since then may rest on that.
      const pairs = [...verdicts.breaks.keys()];
      for (const later of pairs.slice(pairs.indexOf(pair))) {
        if (verdicts.breaks.get(later) === false) verdicts.breaks.delete(later);
      }
      verdicts.breaks.set(pair, true);
      return true;
    },
    isEqual(base, next) {
      // A walk that seeks equality goes on as itself, so that schemas that contain themselves come to an end.
      if (seeksEquality) return walk.compare(base, next, '').length === 0;
      const pair = JSON.stringify([keysOf(base), keysOf(next)]);
      const told = verdicts.isEqual.get(pair);
      if (told !== undefined) return told;
      const isEqual = walkThrough(values, true, verdicts).compare(base, next, '').length === 0;
      verdicts.isEqual.set(pair, isEqual);
      return isEqual;
    },
  };
  return walk;
}

function keysOf(schemas: Schemas): string[] {
  return schemas.map(({ key }) => key);
}

function compareShapes(
  base: Shape,
  next: Shape,
  walk: Walk,
  member: string,
  known: ReadonlySet<string>,
): SchemaChange[] {
  const judged = inMember(member);
  const alternatives = compareAsAlternatives(base, next, walk, { member, known });
  if (alternatives !== undefined) return alternatives;
  const types = compareTypes(base, next).map(judged);
  const shared = [...base.types.value].filter((name) => next.types.value.has(name));
  if (shared.length === 0 && types.length > 0) return types;
  return [
    ...types,
    ...compareKeywords(base, next).map(judged),
    ...(shared.includes('object') ? compareMembers(base, next, walk, member, known) : []),
    ...(shared.includes('object') ? compareDependents(base, next, walk, { member, known }) : []),
    ...(shared.includes('array') ? compareItems(base, next, walk, member) : []),
    ...(shared.includes('array') ? compareContains(base, next, walk, member) : []),
    ...compareConditions(base, next, walk, { member, known }),
    ...compareUnevaluated(base, next).map(judged),
    ...compareChoices(base, next, walk, { member, known }),
    ...compareNots(base, next, walk).map(judged),
    ...compareDiscriminators(base, next, walk, { member, known }),
    ...(walk.isXml ? compareWhole('xml', base, next) : []).map(judged),
    // The server fills in defaults of a request; nobody fills in those of a response.
    ...(walk.direction === 'request' ? compareWhole('default', base, next) : []).map(judged),
  ];
}

function compareWithAnything(base: Schemas, next: Schemas, member: string): SchemaChange[] {
  const [before] = base;
  const [after] = next;
  const judged = inMember(member);
  if (before !== undefined)
    return [judged({ kind: 'schema-removed', at: before, what: 'any value is allowed now' })];
  if (after === undefined) return [];
  return [judged({ kind: 'schema-added', at: after, what: 'no longer any value is allowed' })];
}

/** Compares what is forbidden: each `not` of a schema and of its `allOf`. */
function compareNots(base: Shape, next: Shape, walk: Walk): Difference[] {
  const { same, dropped, added } = paired(base.nots, next.nots);
  return [
    ...same.flatMap(([old, now]): Difference[] => {
      const what = `not ${shown(old.value)} → ${shown(now.value)}`;
      return walk.isEqual([old], [now]) ? [] : [{ kind: 'not-changed', at: now, what }];
    }),
    ...dropped.map((at): Difference => ({ kind: 'not-removed', at, what: `not ${shown(at.value)} → none` })),
    ...added.map((at): Difference => ({ kind: 'not-added', at, what: `not none → ${shown(at.value)}` })),
  ];
}
