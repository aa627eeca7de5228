/**
 * Compares `oneOf` and `anyOf`: alternatives that were removed, added or changed.
 *
 * An `anyOf` allows what any of its alternatives allows, so a wider alternative makes the whole wider, and a
 * narrower one makes it narrower. The same is true of a `oneOf` only if no value fits two of its
 * alternatives, because such a value is refused. For example, `oneOf: [{ required: [a] }, { required: [b] }]`
 * allows `{ a: 1 }`. With a third alternative `{ type: object }`, this value fits two of them and is refused,
 * although an alternative was added. Hence each alternative of a `oneOf` that changes must be exclusive: it
 * must be certain that no value fits it and another one. If it is not certain, the change breaks consumers.
 */
import type { Difference } from '../change.js';
import type { Node } from '../node.js';
import { areExclusive } from './exclusive.js';
import { unwrapped } from './fingerprint.js';
import { type Pairs, paired } from './pairs.js';
import type { Shape } from './shape.js';
import { judge, type SchemaChange, type Spot, type Walk } from './walk.js';

interface Choice {
  readonly alternatives: readonly Node[];
  /** The list of a `oneOf` or an `anyOf`; none if the only alternative is not in a list. */
  readonly list: Node | undefined;
}

/** Compares all choices of a schema: a value must fit each of them. */
export function compareChoices(base: Shape, next: Shape, walk: Walk, spot: Spot): SchemaChange[] {
  const judged = judge(walk, spot.member);
  const { same, dropped, added } = paired(base.choices, next.choices);
  return [
    ...same.flatMap(([old, now]) => compareAlternatives(choiceOf(old), choiceOf(now), walk, spot)),
    ...dropped.map((at) => judged({ effect: 'wider', at, what: `${kindOf(at)} removed` })),
    ...added.map((at) => judged({ effect: 'narrower', at, what: `${kindOf(at)} added` })),
  ];
}

/**
 * Compares a schema that is nothing but a choice with a schema that is a single alternative, or the reverse.
 *
 * @returns undefined if the two are not such a pair
 */
export function compareAsAlternatives(
  base: Shape,
  next: Shape,
  walk: Walk,
  spot: Spot,
): SchemaChange[] | undefined {
  if (base.isMereChoice === next.isMereChoice) return undefined;
  const [before, after] = [wholeChoice(base), wholeChoice(next)];
  return before && after && compareAlternatives(before, after, walk, spot);
}

function wholeChoice({ schemas, choices, isMereChoice }: Shape): Choice | undefined {
  const [choice] = choices;
  const [schema, ...more] = schemas;
  if (choice !== undefined) return isMereChoice ? choiceOf(choice) : undefined;
  if (schema === undefined || more.length > 0) return undefined;
  return { alternatives: [unwrapped(schema)], list: undefined };
}

function choiceOf(list: Node): Choice {
  return { alternatives: list.children(), list };
}

function compareAlternatives(before: Choice, after: Choice, walk: Walk, spot: Spot): SchemaChange[] {
  const judged = judge(walk, spot.member);
  const pairs = paired(before.alternatives, after.alternatives);
  return [
    ...compareKinds(before.list, after.list).map(judged),
    ...compareOverlaps(before, after, pairs, walk).map(judged),
    ...pairs.same.flatMap(([old, now]) => walk.compare([old], [now], spot.member, spot.known)),
    ...pairs.dropped.map((at) =>
      judged({
        effect: 'narrower',
        at: at.use,
        what: `no longer ${nameOf(at)} among the schemas to choose from`,
      }),
    ),
    ...pairs.added.map((at) =>
      judged({
        effect: 'wider',
        adds: true,
        at: at.use,
        what: `${nameOf(at)} is among the schemas to choose from now`,
      }),
    ),
  ];
}

/** A value may fit several schemas of an `anyOf`, and only one of a `oneOf`. */
function compareKinds(before: Node | undefined, after: Node | undefined): Difference[] {
  if (before === undefined || after === undefined || kindOf(before) === kindOf(after)) return [];
  const effect = kindOf(after) === 'anyOf' ? 'wider' : 'narrower';
  return [{ effect, at: after, what: `${kindOf(before)} → ${kindOf(after)}` }];
}

/**
 * Finds changes of a `oneOf` that may allow what was refused, or refuse what was allowed, because of an
 * overlap.
 */
function compareOverlaps(before: Choice, after: Choice, pairs: Pairs, walk: Walk): Difference[] {
  const lists = [before.list, after.list].flatMap((list) => list ?? []);
  // That all of it became an anyOf is told as such, and then each alternative counts on its own.
  if (walk.seeksEquality || lists.some((list) => kindOf(list) === 'anyOf')) return [];
  const changed = pairs.same.filter(([old, now]) => !walk.isEqual([old], [now]));
  const overlap =
    overlapOf([...pairs.dropped, ...changed.map(([old]) => old)], before) ??
    overlapOf([...pairs.added, ...changed.map(([, now]) => now)], after);
  const [at] = lists.reverse();
  if (overlap === undefined || at === undefined) return [];
  const [one, other] = overlap.map(nameOf);
  const what =
    `oneOf changed, and a value that fits both ${one} and ${other} is refused: require in each a member ` +
    'with an enum of its own, or use anyOf';
  return [{ effect: 'other', at, what }];
}

/**
 * Finds one of the schemas and an alternative that may have a value in common; undefined if there are none.
 */
function overlapOf(schemas: readonly Node[], { alternatives }: Choice): [Node, Node] | undefined {
  for (const schema of schemas) {
    const other = alternatives.find((one) => one !== schema && !areExclusive([one], [schema]));
    if (other !== undefined) return [schema, other];
  }
  return undefined;
}

function kindOf(list: Node): string {
  return String(list.entry.at(-1));
}

function nameOf({ path }: Node): string {
  const name = path.at(-1);
  return path[0] === 'components' && path.length === 3 ? `${name}` : `schema ${Number(name) + 1}`;
}
