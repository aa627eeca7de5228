/**
 * Compares `contains`: the schema that some items of an array must fit, and how many (`minContains`, 1 if it is
 * not written, and `maxContains`).
 */
import type { Node } from '../../document/node.js';
import type { Difference } from '../change.js';
import { eitherAt, shown } from '../values.js';
import { paired } from './pairs.js';
import type { Shape } from './shape-types.js';
import { inMember, type SchemaChange, type Walk } from './walk.js';

/** @param owner the place of the arrays, such as `plants` */
export function compareContains(base: Shape, next: Shape, walk: Walk, owner: string): SchemaChange[] {
  const [before, after] = [containsOf(base), containsOf(next)];
  const { same, dropped, added } = paired([...before.keys()], [...after.keys()]);
  const told = inMember(owner);
  return [
    ...same.flatMap(([old, now]) => {
      const [from, to] = [before.get(old) ?? base.node, after.get(now) ?? next.node];
      return [...compareCounts(from, to).map(told), ...compareKind([old, from], [now, to], walk, owner)];
    }),
    ...dropped.map((at) =>
      told({ kind: 'contains-removed', at, what: `contains ${shown(at.value)} → none` }),
    ),
    ...added.map((at) => told({ kind: 'contains-added', at, what: `contains none → ${shown(at.value)}` })),
  ];
}

/** Returns each `contains` that limits something, with the schema that it is in. */
function containsOf({ parts }: Shape): Map<Node, Node> {
  return new Map(
    parts.flatMap((part) => {
      const at = part.at('contains');
      const limits = minOf(part) > 0 || part.number('maxContains') !== undefined;
      return at === undefined || !limits ? [] : [[at, part] as const];
    }),
  );
}

function minOf(schema: Node): bigint | number {
  return schema.number('minContains') ?? 1n;
}

function compareCounts(base: Node, next: Node): Difference[] {
  const changes: Difference[] = [];
  const [min, minNow] = [minOf(base), minOf(next)];
  if (min !== minNow) {
    const kind = minNow > min ? 'min-contains-increased' : 'min-contains-decreased';
    changes.push({ kind, at: eitherAt(base, next, 'minContains'), what: `minContains ${min} → ${minNow}` });
  }
  const [max, maxNow] = [base.number('maxContains'), next.number('maxContains')];
  if (max === maxNow) return changes;
  const how =
    max === undefined ? 'added' : maxNow === undefined ? 'removed' : maxNow > max ? 'increased' : 'decreased';
  const what = `maxContains ${max ?? 'none'} → ${maxNow ?? 'none'}`;
  return [...changes, { kind: `max-contains-${how}`, at: eitherAt(base, next, 'maxContains'), what }];
}

type Contains = readonly [schema: Node, owner: Node];

/**
 * Compares the schemas. The more values such a schema allows, the more arrays have enough of them; and if there
 * is a `maxContains`, the more arrays have too many, so the effect of a change cannot be told.
 */
function compareKind([old, from]: Contains, [now, to]: Contains, walk: Walk, owner: string): SchemaChange[] {
  const isLimited = [from, to].some((one) => one.number('maxContains') !== undefined);
  if (!isLimited) return walk.compare([old], [now], `${owner}[some]`);
  if (walk.isEqual([old], [now])) return [];
  return [
    inMember(owner)({
      kind: 'contains-changed',
      at: now,
      what: `contains ${shown(old.value)} → ${shown(now.value)}`,
    }),
  ];
}
