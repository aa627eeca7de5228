/** Lets breaking changes through that somebody has accepted (../kit/acceptances.ts). */

import type { Acceptance } from '../base/acceptances.js';
import { nearestTo } from '../document/nearest.js';
import type { Change } from './change.js';
import { changeIds, isChangeId } from './ids.js';

/** @returns what is wrong with the id of an acceptance, as a sentence; undefined if there is such an id */
export function faultOfId(id: string): string | undefined {
  return isChangeId(id)
    ? undefined
    : `there is no id "${id}": write ${nearestTo(id, [...changeIds.keys()]).join(', or ')}.`;
}

/**
 * @returns the changes, in which an accepted one no longer breaks; and a sentence for each acceptance that lets
 *   nothing through
 */
export function accept(
  changes: readonly Change[],
  acceptances: readonly Acceptance[],
): { readonly changes: readonly Change[]; readonly stale: readonly string[] } {
  const keyOf = ({ id, operation, pointer, what }: Omit<Acceptance, 'place'>): string =>
    JSON.stringify([id, operation, pointer, what]);
  const named = new Set(acceptances.map(keyOf));
  const breaking = new Set(changes.filter((change) => change.breaking).map(keyOf));
  return {
    changes: changes.map((change) =>
      change.breaking && named.has(keyOf(change)) ? { ...change, breaking: false, accepted: true } : change,
    ),
    stale: acceptances
      .filter((acceptance) => !breaking.has(keyOf(acceptance)))
      .map(
        ({ id, operation, pointer, what, place }) =>
          `${place} accepts nothing: ${operation} has no breaking change ${id} at ${pointer} with "${what}". Take it away.`,
      ),
  };
}
