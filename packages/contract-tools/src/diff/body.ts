/**
 * Compares the body of a request: whether there is one, whether it is required, how large it may be, and its
 * media types. A body that is removed breaks clients, because the server no longer reads what they send. One
 * that is added breaks them only if it is required.
 */

import { compareDecimals, decimal } from '../base/decimal.js';
import type { Node } from '../document/node.js';
import type { FoundChange } from './change.js';
import { compareContent } from './media.js';
import { digitsOf, eitherAt } from './values.js';

const part = 'request body';

export function compareBodies(base: Node, next: Node): FoundChange[] {
  const before = base.at('requestBody');
  const after = next.at('requestBody');
  if (before === undefined && after === undefined) return [];
  if (before === undefined || after === undefined) {
    const body = after ?? before ?? next;
    const required = body.flag('required');
    return after === undefined
      ? [{ part, id: 'request-body-removed', at: body.use, what: 'removed' }]
      : [
          {
            part,
            id: required ? 'request-body-added-required' : 'request-body-added',
            adds: true,
            at: body.use,
            what: `added, ${required ? 'required' : 'optional'}`,
          },
        ];
  }
  const required = after.flag('required');
  const at = eitherAt(before, after, 'required');
  const need: FoundChange = required
    ? { part, id: 'request-body-became-required', at, what: 'required now' }
    : { part, id: 'request-body-became-optional', at, what: 'no longer required' };
  return [
    ...(required === before.flag('required') ? [] : [need]),
    ...compareLimits(before, after),
    ...compareContent(before, after, { part, subject: 'request-body' }),
  ];
}

/**
 * Compares this project's `x-limits`: the most bytes and the most levels of a body. A lower limit breaks
 * clients.
 */
function compareLimits(base: Node, next: Node): FoundChange[] {
  const before = base.at('x-limits');
  const after = next.at('x-limits');
  const keys = [before, after].flatMap((limits) => limits?.members().map(([key]) => key) ?? []);
  return [...new Set(keys)].flatMap((key) => {
    const old = before?.number(key);
    const now = after?.number(key);
    if (old === now) return [];
    const lower =
      now !== undefined &&
      (old === undefined || compareDecimals(decimal(digitsOf(now)), decimal(digitsOf(old))) < 0);
    const at = after?.at(key) ?? before?.at(key) ?? next;
    const id = lower ? 'request-body-limit-decreased' : 'request-body-limit-increased';
    return [{ part, id, at, what: `limit of ${key} ${old ?? 'none'} → ${now ?? 'none'}` }];
  });
}
