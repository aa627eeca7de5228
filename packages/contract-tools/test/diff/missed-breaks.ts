import fc from 'fast-check';
import { exactJson } from '../../../exact-json/index.js';
import { isBreaking, witnessOf } from './broken-consumer.js';
import { schemaPair } from './random-schemas.js';

/** Random pairs of schemas: if a value proves that one breaks a consumer, diff:contract must say so. */
export const missesNoBreak = fc.property(
  schemaPair,
  fc.constantFrom('request' as const, 'response' as const),
  fc.nat(),
  (pair, direction, seed) => {
    if (isBreaking(pair, direction)) return;
    const witness = witnessOf(pair, direction, { seed, count: 80 });
    if (witness === undefined) return;
    const [accepted, refused] = direction === 'request' ? ['old', 'new'] : ['new', 'old'];
    throw new Error(
      `Breaks a ${direction}, and diff:contract does not say so: the ${accepted} schema accepts ` +
        `${exactJson(witness)}, the ${refused} one refuses it.\n` +
        `old: ${JSON.stringify(pair.base)}\nnew: ${JSON.stringify(pair.next)}`,
    );
  },
);
