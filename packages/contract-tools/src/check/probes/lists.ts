/** Makes many items, and then lists them: a list that is cut without a word shows only if it is long. */

import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { forEach } from '../requests/at-once.js';
import { readList } from '../resources/follow-pages.js';
import { makeItem } from '../resources/make-item.js';
import type { Owner, OwnItem } from '../resources/own-items.js';
import { checkListing } from './check-list.js';
import type { Trial } from './trial.js';

/**
 * The number of items of a list without pages: more than the usual sizes at which lists are cut, 20 to 200.
 */
const crowd = 250;
/** The number of items of a list in pages: enough for several pages of a size that the checker asks for. */
const pagedCrowd = 45;
/** The number of looks at a limited list before it is called wrong. */
const maxLooks = 10;
export const listTitle = 'lists every item once, as it was written, and nobody else’s';

export async function probeLists(trial: Trial, list: Operation): Promise<void> {
  await grow(trial, list, trial.part.owners);
  for (const owner of trial.part.owners) await checkList(trial, list, owner);
  await checkLimits(trial);
}

/**
 * Makes as many items of the first owner as the lists need, and two of each owner.
 *
 * @returns the new ones
 */
export async function grow(
  trial: Trial,
  list: Operation,
  owners: readonly Owner[],
): Promise<readonly OwnItem[]> {
  const lists = trial.titled(listTitle);
  const { client, run } = trial;
  const { create, remove } = client.resource;
  // Items that nothing can remove are not made in such numbers.
  const wanted = remove === undefined ? 0 : client.paging === undefined ? crowd : pagedCrowd;
  const count = Math.max(0, wanted - client.own.of('first').length);
  const missing = Array.from({ length: count }, () => owners[0] ?? 'first');
  const made: OwnItem[] = [];
  await forEach(run, [...missing, ...owners, ...owners], async (owner) => {
    const { call, id } = await makeItem(client, undefined, owner);
    const item = id === undefined ? undefined : client.own.find(owner, id);
    if (item !== undefined) made.push(item);
    lists.judge(create, 'one of many', call);
  });
  lists.begin(list);
  return made;
}

/** Tries limits around the usual sizes of pages, and around the length of the list itself. */
async function checkLimits(trial: Trial): Promise<void> {
  const { exactStore, own } = trial.client;
  if (exactStore?.limit === undefined) return;
  const limited = trial.titled('cuts the list exactly at limit');
  const count = own.of('first').length;
  const limits = new Set([1, 2, 3, 10, 20, 50, 99, 100, 101, count - 1, count, count + 1, 2 ** 31 - 1]);
  await forEach(
    trial.run,
    [...limits].filter((limit) => limit > 0),
    (limit) => checkList(limited, exactStore.list, 'first', limit),
  );
}

async function checkList(trial: Trial, list: Operation, owner: Owner, limit?: number): Promise<void> {
  const { client } = trial;
  const { own } = client;
  const description = limit === undefined ? 'the whole list' : `limit is ${limit}`;
  trial.begin(list);
  // If others delete items meanwhile, a limited list can be short by theirs: so it must be wrong each time.
  for (let looks = limit === undefined ? 1 : maxLooks; ; looks--) {
    const call = await readList(client, owner, list, limit);
    trial.judge(list, description, call, [call]);
    if (call.breaches.length > 0 || !succeeded(list, call)) return;
    const uncertain = own.uncertainMarkers;
    const concerns = (marker: string): boolean => !uncertain.has(marker);
    const fault = await checkListing({ client, list, owner, expected: own.of(owner), concerns }, call, limit);
    if (fault === undefined) return;
    if (looks > 1) continue;
    return trial.record(list, description, fault.steps, fault.breach);
  }
}
