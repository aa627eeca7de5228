/** Lets breaking changes through that somebody has accepted (../base/acceptances.ts). */

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
  const named = new Set(
    acceptances.flatMap((acceptance) => acceptance.members.map((member) => keyOf({ ...acceptance, member }))),
  );
  const breaking = changes.filter((change) => change.breaking);
  return {
    changes: changes.map((change) =>
      change.breaking && named.has(keyOf(change)) ? { ...change, breaking: false, accepted: true } : change,
    ),
    stale: entriesOf(acceptances).flatMap((entry) => staleIn(entry, breaking)),
  };
}

/** Each entry of the file is an acceptance for each of its operations. */
function entriesOf(acceptances: readonly Acceptance[]): [Acceptance, ...Acceptance[]][] {
  const entries = new Map<string, [Acceptance, ...Acceptance[]]>();
  for (const one of acceptances) {
    const entry = entries.get(one.place);
    if (entry === undefined) entries.set(one.place, [one]);
    else entry.push(one);
  }
  return [...entries.values()];
}

/** What makes a change the one that was accepted. */
type Known = Pick<Change, 'id' | 'operation' | 'pointer' | 'member' | 'what'>;

function keyOf({ id, operation, pointer, member, what }: { readonly [Key in keyof Known]: string }): string {
  return JSON.stringify([id, operation, pointer, member, what]);
}

/** Says what of an entry lets nothing through, and what to write instead. */
function staleIn(entry: readonly [Acceptance, ...Acceptance[]], breaking: readonly Change[]): string[] {
  const [{ id, pointer, members, what, place }] = entry;
  const isNamed = ({ operation, member }: Change): boolean =>
    members.includes(member) && entry.some((one) => one.operation === operation);
  const atPlace = breaking.filter((change) => change.id === id && change.pointer === pointer);
  const accepted = atPlace.filter((change) => change.what === what && isNamed(change));
  const operations = entry
    .map(({ operation }) => operation)
    .filter((operation) => accepted.every((change) => change.operation !== operation));
  if (operations.length > 0) {
    const of = members[0] === '' ? '' : ` of ${members.join(', ')}`;
    const others = atPlace.filter(({ operation }) => operations.includes(operation));
    return [
      `${place} accepts nothing: there is no breaking change ${id} of ${operations.join(', ')} at ${pointer} with "${what}"${of}. ${instead(others, what)}`,
    ];
  }
  const stale = members.filter((member) => accepted.every((change) => change.member !== member));
  if (stale.length === 0) return [];
  return [`${place} accepts nothing of ${stale.join(', ')}: take it out of "members".`];
}

/** @param others what breaks at the place of an acceptance that lets nothing through */
function instead(others: readonly Change[], what: string): string {
  if (others.length === 0) return 'Take it away.';
  const members = new Set(others.filter((change) => change.what === what).map(({ member }) => member));
  if (members.size > 0)
    return `Write "members: ${JSON.stringify([...members])}" to accept what changed there.`;
  const told = new Set(others.map((change) => `"${change.what}"${change.member && ` of ${change.member}`}`));
  return `What changed there is ${[...told].join(', ')}: copy it from the JSON report to accept it.`;
}
