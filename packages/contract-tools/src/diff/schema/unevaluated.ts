/**
 * Compares `unevaluatedProperties` and `unevaluatedItems` where they cannot be decided.
 *
 * They hold for the members and items that no other keyword of the schema has looked at. Through an `allOf`, it is
 * known which these are, and shape.ts takes the keyword for a schema of all others. A `oneOf`, an `if` or a
 * `contains` looks at other members and items in each value. So any difference of two such schemas counts as
 * breaking in both directions, except that they say the same in other words.
 */
import type { Difference } from '../change.js';
import { fingerprint } from './fingerprint.js';
import type { Shape } from './shape-types.js';

const undecidable = [
  {
    keyword: 'unevaluatedProperties',
    kind: 'unevaluated-properties-changed',
    besides: ['oneOf', 'anyOf', 'if', 'then', 'else', 'dependentSchemas'],
  },
  {
    keyword: 'unevaluatedItems',
    kind: 'unevaluated-items-changed',
    besides: ['oneOf', 'anyOf', 'if', 'then', 'else', 'contains'],
  },
] as const;

export function compareUnevaluated(base: Shape, next: Shape): Difference[] {
  return undecidable.flatMap(({ keyword, kind, besides }): Difference[] => {
    const nodes = [next, base].flatMap(({ parts }) => parts.flatMap((part) => part.at(keyword) ?? []));
    const [at] = nodes;
    const isUndecidable = [base, next].some(({ parts }) =>
      parts.some((part) => besides.some((key) => part.at(key) !== undefined)),
    );
    if (at === undefined || !isUndecidable || said(base) === said(next)) return [];
    return [{ kind, at, what: `what "${keyword}" allows cannot be decided, because something else changed` }];
  });
}

function said({ schemas }: Shape): string {
  return schemas.map((schema) => fingerprint(schema)).join('\n');
}
