/** Writes the table of the attacks, and names those after which a promise was not kept. */
import { table } from '../../../../contract-tools/base.js';
import type { Result } from './hostile.js';
import type { Creates } from './other-owner.js';
import { inSeconds, tally } from './words.js';

export function toText(results: readonly Result[]): string {
  const head = ['what was sent', 'what the client saw', "another owner's creates meanwhile"];
  const rows = results.map(({ attack, saw, creates }) => [
    attack.name,
    saw,
    creates ? describe(creates) : '',
  ]);
  const broken = results.filter(({ isAsPromised }) => !isAsPromised);
  return [
    table(head, rows),
    ...broken.map(({ attack }) => `not as promised: ${attack.name}: ${attack.promise}`),
  ].join('\n');
}

function describe({ answered, failed, longestMs }: Creates): string {
  const failures = failed.length > 0 ? `, failed: ${tally(failed)}` : '';
  return `${answered} answered${failures}; longest wait ${inSeconds(longestMs)}`;
}
