/**
 * Compares `oneOf` and `anyOf`: alternatives that were removed, added or changed.
 *
 * An `anyOf` allows what any of its alternatives allows, so a wider alternative makes the whole wider, and a
 * narrower one makes it narrower. The same is true of a `oneOf` only if no value fits two of its
 * alternatives, because such a value is refused. For example, `oneOf: [{ required: [a] }, { required: [b] }]`
 * allows `{ a: 1 }`. With a third alternative `{ type: object }`, this value fits two of them and is refused,
 * although an alternative was added. Hence each alternative of a `oneOf` that changes must be exclusive: it
 * must be certain that no value fits it and another one. If it is not certain, the change breaks consumers.
 *
 * Nothing says which alternative became which. So it counts what fits into what: a value that a client sends
 * needs one new alternative that takes all that its old one took, and an answer needs one old alternative that
 * told of all that its new one allows. A single schema counts as a choice of one: `integer` that becomes
 * `oneOf: [integer, { enum: [all] }]` in a request is wider.
 */

import { type JsonObject, type JsonValue, pointerTo } from '../../../../exact-json/index.js';
import type { Node } from '../../document/node.js';
import type { Difference } from '../change.js';
import { below } from '../values.js';
import { areExclusive } from './exclusive.js';
import { unwrapped } from './fingerprint.js';
import { type Pairs, paired, pairedBy, sayTheSame } from './pairs.js';
import type { Schemas, Shape } from './shape-types.js';
import { inMember, type SchemaChange, type Spot, type Walk } from './walk.js';

interface Choice {
  readonly alternatives: readonly Node[];
  /** The list of a `oneOf` or an `anyOf`; none if the only alternative is not in a list. */
  readonly list: Node | undefined;
}

/** Compares all choices of a schema: a value must fit each of them. */
export function compareChoices(base: Shape, next: Shape, walk: Walk, spot: Spot): SchemaChange[] {
  const judged = inMember(spot.member);
  const { same, dropped, added } = paired(base.choices, next.choices);
  return [
    ...same.flatMap(([old, now]) => compareAlternatives(choiceOf(old), choiceOf(now), walk, spot)),
    ...dropped.map((at) => judged({ kind: 'choice-removed', at, what: `${kindOf(at)} removed` })),
    ...added.map((at) => judged({ kind: 'choice-added', at, what: `${kindOf(at)} added` })),
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
  if (base.isMereChoice === next.isMereChoice) return compareDistributed(base, next, walk, spot);
  const [before, after] = [wholeChoice(base), wholeChoice(next)];
  if (before === undefined || after === undefined) return undefined;
  // The side that must find a partner for each of its values may find several for those of an enum.
  const isRequest = walk.direction === 'request';
  return compareAlternatives(
    isRequest && before.list === undefined ? inPieces(before, (one) => partnersIn(after, one, walk)) : before,
    !isRequest && after.list === undefined ? inPieces(after, (one) => partnersIn(before, one, walk)) : after,
    walk,
    spot,
  );
}

/** Compares a single schema with a choice that has other keywords beside it, if that breaks nobody. */
function compareDistributed(base: Shape, next: Shape, walk: Walk, spot: Spot): SchemaChange[] | undefined {
  if (base.choices.length + next.choices.length !== 1 || walk.seeksEquality) return undefined;
  const before = base.choices.length === 1 ? distributed(base) : base.schemas;
  const after = next.choices.length === 1 ? distributed(next) : next.schemas;
  if (before === undefined || after === undefined || walk.breaks(before, after)) return undefined;
  return walk.compare(before, after, spot.member, spot.known);
}

/**
 * Writes `{ default: 1, oneOf: [A, B] }` as a choice between A and B, each with the default. Such a node has a
 * path below that of the schema, so that a place is found for it.
 */
function distributed({ schemas, choices }: Shape): Schemas | undefined {
  const [schema, ...more] = schemas;
  const [list] = choices;
  if (schema === undefined || list === undefined || more.length > 0 || !isMap(schema.value)) return undefined;
  const kind = kindOf(list);
  // The choice may be deeper, in the "allOf" of the schema or behind a lone alternative.
  if (list.key !== pointerTo(schema.key, kind)) return undefined;
  const { [kind]: written, discriminator: _, ...others } = schema.value;
  if (!Array.isArray(written)) return undefined;
  const { allOf: inAll } = others;
  const allOf = Array.isArray(inAll) ? inAll : [];
  const alternatives = written.map((alternative) => ({ ...others, allOf: [...allOf, alternative] }));
  return [schema.standIn({ [kind]: alternatives }, 'of each')];
}

function wholeChoice({ schemas, choices, isMereChoice }: Shape): Choice | undefined {
  const [choice] = choices;
  const [schema, ...more] = schemas;
  if (choice !== undefined) return isMereChoice ? choiceOf(choice) : undefined;
  if (schema === undefined || more.length > 0) return undefined;
  return { alternatives: [unwrapped(schema)], list: undefined };
}

/** Returns a single schema as a choice of the values of its enum, if each has a partner and it has none. */
function inPieces(single: Choice, partnersOf: (schema: Node) => number): Choice {
  const [schema] = single.alternatives;
  if (schema === undefined || partnersOf(schema) > 0) return single;
  if (!isMap(schema.value)) return single;
  const { enum: values, ...others } = schema.value;
  if (!Array.isArray(values)) return single;
  const pieces = values.map((value, index) => schema.standIn({ ...others, enum: [value] }, 'enum', index));
  return pieces.every((piece) => partnersOf(piece) > 0) ? { alternatives: pieces, list: undefined } : single;
}

/** Counts the alternatives that would take all values of a schema, or that told of all of them. */
function partnersIn({ alternatives }: Choice, schema: Node, walk: Walk): number {
  const isRequest = walk.direction === 'request';
  return alternatives.filter(
    (one) => !walk.breaks(isRequest ? [schema] : [one], isRequest ? [one] : [schema]),
  ).length;
}

function choiceOf(list: Node): Choice {
  return { alternatives: below(list), list };
}

function compareAlternatives(before: Choice, after: Choice, walk: Walk, spot: Spot): SchemaChange[] {
  const judged = inMember(spot.member);
  const pairs = pairsOf(before, after, walk);
  return [
    ...compareKinds(before.list, after.list).map(judged),
    ...compareOverlaps(before, after, pairs, walk).map(judged),
    ...pairs.same.flatMap(([old, now]) => walk.compare([old], [now], spot.member, spot.known)),
    ...pairs.dropped.map((at) =>
      judged({
        kind: 'alternative-removed',
        at: at.use,
        what: `no longer ${nameOf(at)} among the schemas to choose from`,
      }),
    ),
    ...pairs.added.map((at) =>
      judged({
        kind: 'alternative-added',
        adds: true,
        at: at.use,
        what: `${nameOf(at)} is among the schemas to choose from now`,
      }),
    ),
  ];
}

/**
 * Pairs the alternatives by what fits into what. An old one that has no partner of its own is paired with any
 * new one that takes all that clients send; a new one in an answer, with any old one that told of it.
 */
function pairsOf(before: Choice, after: Choice, walk: Walk): Pairs {
  if (walk.seeksEquality) return paired(before.alternatives, after.alternatives);
  const fits = (old: Node, now: Node): boolean => !walk.breaks([old], [now]);
  const first = pairedBy([sayTheSame, fits], before.alternatives, after.alternatives);
  const further =
    walk.direction === 'request'
      ? first.dropped.flatMap((old) =>
          pairWith(
            old,
            after.alternatives.find((now) => fits(old, now)),
          ),
        )
      : first.added.flatMap((now) =>
          pairWith(
            before.alternatives.find((old) => fits(old, now)),
            now,
          ),
        );
  const isLone = (node: Node): boolean => further.every(([old, now]) => old !== node && now !== node);
  const rest = paired(first.dropped.filter(isLone), first.added.filter(isLone));
  const all = [...first.same, ...further, ...rest.same];
  const { dropped: lostNow, added: gainedNow } = rest;
  // A single schema that fits nowhere is told by what differs from the only one that is like it.
  const [lost, ...moreLost] = lostNow;
  const [gained, ...moreGained] = gainedNow;
  const alike =
    lost !== undefined && moreLost.length === 0 && before.list === undefined
      ? gainedNow.filter((now) => !areExclusive([lost], [now])).map((now) => [lost, now] as const)
      : gained !== undefined && moreGained.length === 0 && after.list === undefined
        ? lostNow.filter((old) => !areExclusive([old], [gained])).map((old) => [old, gained] as const)
        : [];
  const [pair, ...others] = alike;
  if (pair === undefined || others.length > 0) return { same: all, dropped: lostNow, added: gainedNow };
  const isLeft = (node: Node): boolean => !pair.includes(node);
  return { same: [...all, pair], dropped: lostNow.filter(isLeft), added: gainedNow.filter(isLeft) };
}

function pairWith(old: Node | undefined, now: Node | undefined): (readonly [Node, Node])[] {
  return old === undefined || now === undefined ? [] : [[old, now]];
}

/** A value may fit several schemas of an `anyOf`, and only one of a `oneOf`. */
function compareKinds(before: Node | undefined, after: Node | undefined): Difference[] {
  if (before === undefined || after === undefined || kindOf(before) === kindOf(after)) return [];
  const kind = kindOf(after) === 'anyOf' ? 'one-of-became-any-of' : 'any-of-became-one-of';
  return [{ kind, at: after, what: `${kindOf(before)} → ${kindOf(after)}` }];
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
  // A request breaks if what was allowed fits two schemas now, an answer if what fitted two is allowed now.
  const overlap =
    walk.direction === 'request'
      ? overlapOf([...pairs.added, ...changed.map(([, now]) => now)], after)
      : overlapOf([...pairs.dropped, ...changed.map(([old]) => old)], before);
  const [at] = lists.reverse();
  if (overlap === undefined || at === undefined) return [];
  const [one, other] = overlap.map(nameOf);
  const what =
    `oneOf changed, and a value that fits both ${one} and ${other} is refused: require in each a member ` +
    'with an enum of its own, or use anyOf';
  return [{ kind: 'alternatives-overlap-changed', at, what }];
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
  if (path[0] === 'components' && path.length === 3) return `${name}`;
  return Number.isInteger(Number(name)) ? `schema ${Number(name) + 1}` : 'the single schema';
}

function isMap(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
