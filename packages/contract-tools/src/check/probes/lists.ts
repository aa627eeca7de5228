/**
 * Makes many items, and then lists and deletes them: a list that is cut without a word shows only if it is
 * long.
 */

import type { Operation } from '../../document/operations.js';
import { isAbsent, succeeded } from '../../document/statuses.js';
import type { Run } from '../answers/run.js';
import { forEach } from '../requests/at-once.js';
import type { ResourceClient } from '../resources/client.js';
import { readList } from '../resources/follow-pages.js';
import { makeItem } from '../resources/make-item.js';
import type { Owner, OwnItem } from '../resources/own-items.js';
import type { ResourceMeaning } from '../resources/resource-meaning.js';
import { checkListing } from './check-list.js';

/**
 * The number of items of a list without pages: more than the usual sizes at which lists are cut, 20 to 200.
 */
const crowd = 250;
/** The number of items of a list in pages: enough for several pages of a size that the checker asks for. */
const pagedCrowd = 45;
/** The number of looks at a limited list before it is called wrong. */
const maxLooks = 10;
const titles = {
  list: 'lists every item once, as it was written, and nobody else’s',
  limit: 'cuts the list exactly at limit',
  remove: 'deletes what was created, once',
};

export async function probeLists(
  run: Run,
  client: ResourceClient,
  { owners }: ResourceMeaning,
): Promise<void> {
  const { list } = client.resource;
  if (list === undefined) return;
  await grow(run, client, list, owners);
  await checkLists(run, client, list, owners);
  await checkLimits(run, client);
}

/**
 * Makes as many items of the first owner as the lists need, and two of each owner.
 *
 * @returns the new ones
 */
export async function grow(
  run: Run,
  client: ResourceClient,
  list: Operation,
  owners: readonly Owner[],
): Promise<readonly OwnItem[]> {
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
    run.recorder.find(create.id, titles.list, 'one of many', [call], ...call.breaches);
  });
  run.recorder.case(list.id, titles.list);
  return made;
}

async function checkLists(
  run: Run,
  client: ResourceClient,
  list: Operation,
  owners: readonly Owner[],
): Promise<void> {
  for (const owner of owners) await checkList(run, client, list, owner);
}

/** Tries limits around the usual sizes of pages, and around the length of the list itself. */
async function checkLimits(run: Run, client: ResourceClient): Promise<void> {
  const { exactStore, own } = client;
  if (exactStore?.limit === undefined) return;
  const count = own.of('first').length;
  const limits = new Set([1, 2, 3, 10, 20, 50, 99, 100, 101, count - 1, count, count + 1, 2 ** 31 - 1]);
  await forEach(
    run,
    [...limits].filter((limit) => limit > 0),
    (limit) => checkList(run, client, exactStore.list, 'first', limit),
  );
}

async function checkList(
  run: Run,
  client: ResourceClient,
  list: Operation,
  owner: Owner,
  limit?: number,
): Promise<void> {
  const { own } = client;
  const title = limit === undefined ? titles.list : titles.limit;
  const description = limit === undefined ? 'the whole list' : `limit is ${limit}`;
  run.recorder.case(list.id, title);
  // If others delete items meanwhile, a limited list can be short by theirs: so it must be wrong each time.
  for (let looks = limit === undefined ? 1 : maxLooks; ; looks--) {
    const call = await readList(client, owner, list, limit);
    run.recorder.find(list.id, title, description, [call], ...call.breaches);
    if (call.breaches.length > 0 || !succeeded(list, call)) return;
    const uncertain = own.uncertainMarkers;
    const concerns = (marker: string): boolean => !uncertain.has(marker);
    const fault = await checkListing({ client, list, owner, expected: own.of(owner), concerns }, call, limit);
    if (fault === undefined) return;
    if (looks > 1) continue;
    run.recorder.find(list.id, title, description, fault.steps, fault.breach);
    return;
  }
}

/**
 * Deletes the items of all owners, each once, and then reads the lists again, which must not have them any
 * more.
 */
export async function checkDeletes(
  run: Run,
  client: ResourceClient,
  { owners }: ResourceMeaning,
): Promise<void> {
  const { list, remove } = client.resource;
  if (remove === undefined) return;
  await forEach(
    run,
    owners.flatMap((owner) => client.own.of(owner)).filter((item) => !client.surroundings.isAnchor(item)),
    async (item) => {
      const { owner, id } = item;
      run.recorder.case(remove.id, titles.remove);
      const call = await client.item(owner, remove, id);
      // What a create has not kept, no delete can find.
      const isLost = isAbsent(remove, call) && isAtFault(run, client.resource.create);
      if (!isLost) run.recorder.find(remove.id, titles.remove, `the item ${id}`, [call], ...call.breaches);
      if (succeeded(remove, call) || isAbsent(remove, call)) client.own.deleted(item, call.status);
    },
  );
  if (list !== undefined) await checkLists(run, client, list, owners);
}

function isAtFault({ recorder }: Run, { id }: Operation): boolean {
  return recorder.findings.some(({ operations }) => operations.includes(id));
}
