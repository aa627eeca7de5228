/**
 * Compares `if` with its `then` and `else`. If both contracts ask the same, what follows from the answer is
 * compared like any schema. If they ask something else, nobody can say which values are allowed now, so the change
 * breaks in both directions.
 */
import type { Node } from '../../document/node.js';
import { shown } from '../values.js';
import { paired } from './pairs.js';
import type { Schemas, Shape } from './shape-types.js';
import { inMember, type SchemaChange, type Spot, type Walk } from './walk.js';

export function compareConditions(base: Shape, next: Shape, walk: Walk, spot: Spot): SchemaChange[] {
  const [before, after] = [conditionsOf(base), conditionsOf(next)];
  const { same, dropped, added } = paired([...before.keys()], [...after.keys()]);
  const told = inMember(spot.member);
  return [
    ...same.flatMap(([old, now]) => {
      if (!walk.isEqual([old], [now]))
        return [
          told({
            kind: 'conditional-changed',
            at: now,
            what: `"if" ${shown(old.value)} → ${shown(now.value)}`,
          }),
        ];
      return ['then', 'else'].flatMap((key) =>
        walk.compare(
          following(before.get(old), key),
          following(after.get(now), key),
          spot.member,
          spot.known,
        ),
      );
    }),
    ...dropped.map((at) => told({ kind: 'conditional-removed', at, what: `"if" ${shown(at.value)} → none` })),
    ...added.map((at) => told({ kind: 'conditional-added', at, what: `"if" none → ${shown(at.value)}` })),
  ];
}

/** Returns each `if` from which something follows, with the schema that it is in. */
function conditionsOf({ parts }: Shape): Map<Node, Node> {
  return new Map(
    parts.flatMap((part) => {
      const at = part.at('if');
      const isEmpty = part.at('then') === undefined && part.at('else') === undefined;
      return at === undefined || isEmpty ? [] : [[at, part] as const];
    }),
  );
}

function following(schema: Node | undefined, key: string): Schemas {
  return [schema?.at(key)].flatMap((node) => node ?? []);
}
