import type { Difference } from './change.js';
import { shown } from './node.js';
import { paired } from './pairs.js';
import type { Shape } from './shape.js';
import type { Walk } from './walk.js';

/** Compares what is forbidden: each `not` of a schema and of its `allOf`. */
export function compareNots(base: Shape, next: Shape, walk: Walk): Difference[] {
  const { same, dropped, added } = paired(base.nots, next.nots);
  return [
    ...same.flatMap(([old, now]): Difference[] => {
      const what = `not ${shown(old.value)} → ${shown(now.value)}`;
      return walk.isEqual([old], [now]) ? [] : [{ effect: 'other', at: now, what }];
    }),
    ...dropped.map((at): Difference => ({ effect: 'wider', at, what: `not ${shown(at.value)} → none` })),
    ...added.map((at): Difference => ({ effect: 'narrower', at, what: `not none → ${shown(at.value)}` })),
  ];
}
