import { compareDecimals, decimal } from '../../kit/decimal.js';
import type { FoundChange } from './change.js';
import { compareContent } from './media.js';
import { eitherAt, type Node } from './node.js';

const part = 'request body';

export function compareBodies(base: Node, next: Node): FoundChange[] {
  const before = base.get('requestBody');
  const after = next.get('requestBody');
  if (before === undefined && after === undefined) return [];
  if (before === undefined || after === undefined) {
    const body = after ?? before ?? next;
    const required = body.is('required');
    return after === undefined
      ? // What a client sends is no longer heard.
        [{ part, breaking: true, at: body.use, what: 'removed' }]
      : [
          {
            part,
            breaking: required,
            adds: true,
            at: body.use,
            what: `added, ${required ? 'required' : 'optional'}`,
          },
        ];
  }
  const required = after.is('required');
  const at = eitherAt(before, after, 'required');
  const what = required ? 'required now' : 'no longer required';
  return [
    ...(required === before.is('required') ? [] : [{ part, breaking: required, at, what }]),
    ...compareLimits(before, after),
    ...compareContent(before, after, 'request', { part }),
  ];
}

/** This project's `x-limits`: the largest size and depth of a body. */
function compareLimits(base: Node, next: Node): FoundChange[] {
  const before = base.get('x-limits');
  const after = next.get('x-limits');
  const keys = [before, after].flatMap((limits) => [...(limits?.members().keys() ?? [])]);
  return [...new Set(keys)].flatMap((key) => {
    const old = before?.digits(key);
    const now = after?.digits(key);
    if (old === now) return [];
    const lower = now !== undefined && (old === undefined || compareDecimals(decimal(now), decimal(old)) < 0);
    const at = after?.get(key) ?? before?.get(key) ?? next;
    return [{ part, breaking: lower, at, what: `limit of ${key} ${old ?? 'none'} → ${now ?? 'none'}` }];
  });
}
