/** Many items at once: only then does it show if a list is cut into pages. */
import type { Operation } from '../description.js';
import type { Breach, Step } from '../findings.js';
import { forEach, type Runner } from '../runner.js';
import { makeItem } from './blame.js';
import { type ResourceClient, succeeded } from './client.js';
import { checkListing } from './listing.js';
import type { Owner, OwnItem } from './own-items.js';

/** More than the usual sizes of pages: 20, 50, 100, 200. */
const crowd = 250;
/** Enough for several pages of a size that the checker asks for. */
const pagedCrowd = 45;
export const titles = {
  list: 'lists every item once, as it was written, and nobody else’s',
  limit: 'cuts the list exactly at limit',
  remove: 'deletes what was created, once',
};

export async function probeLists(
  runner: Runner,
  client: ResourceClient,
  owners: readonly Owner[],
): Promise<void> {
  const { list } = client.resource;
  if (list === undefined || !client.knowsOwn || client.surroundings.unreached !== undefined) return;
  await grow(runner, client, list, owners);
  await checkLists(runner, client, list, owners);
}

/** Makes as many items of the first owner as the lists need, and two of each owner. @returns the new ones */
export async function grow(
  runner: Runner,
  client: ResourceClient,
  list: Operation,
  owners: readonly Owner[],
): Promise<readonly OwnItem[]> {
  const { create, remove } = client.resource;
  // Items that nothing can remove are not made in such numbers.
  const isPaged = client.paging !== undefined && client.promises.limit === undefined;
  const wanted = remove === undefined ? 0 : isPaged ? pagedCrowd : crowd;
  const count = Math.max(0, wanted - client.own.of('first').length);
  const missing = Array.from({ length: count }, () => owners[0] ?? 'first');
  const made: OwnItem[] = [];
  await forEach(runner, [...missing, ...owners, ...owners], async (owner) => {
    const { call, id } = await makeItem(client, undefined, owner);
    const item = id === undefined ? undefined : client.own.find(owner, id);
    if (item !== undefined) made.push(item);
    report(runner, create, titles.list, 'one of many', [call], call.breaches);
  });
  runner.recorder.case(list.id, titles.list);
  return made;
}

async function checkLists(
  runner: Runner,
  client: ResourceClient,
  list: Operation,
  owners: readonly Owner[],
): Promise<void> {
  const { own } = client;
  for (const owner of owners) {
    runner.recorder.case(list.id, titles.list);
    const call = await client.list(owner, list);
    report(runner, list, titles.list, 'the whole list', [call], call.breaches);
    if (call.breaches.length > 0 || !succeeded(list, call)) continue;
    const uncertain = own.uncertainMarks;
    const concerns = (mark: string): boolean => !uncertain.has(mark);
    const fault = await checkListing({ client, list, owner, expected: own.of(owner), concerns }, call);
    if (fault !== undefined) report(runner, list, titles.list, 'the whole list', fault.steps, [fault.breach]);
  }
}

export async function checkDeletes(
  runner: Runner,
  client: ResourceClient,
  owners: readonly Owner[],
): Promise<void> {
  const { list, remove } = client.resource;
  if (remove === undefined) return;
  await forEach(
    runner,
    owners.flatMap((owner) => client.own.of(owner)).filter((item) => !client.surroundings.isAnchor(item)),
    async ({ owner, id }) => {
      runner.recorder.case(remove.id, titles.remove);
      const call = await client.item(owner, remove, id);
      // What a create has not kept, no delete can find.
      const isLost = client.isAbsent(remove, call) && isAtFault(runner, client.resource.create);
      if (!isLost) report(runner, remove, titles.remove, `the item ${id}`, [call], call.breaches);
      if (succeeded(remove, call) || client.isAbsent(remove, call)) client.own.remove(owner, id, 'deleted');
    },
  );
  const isKnown = client.knowsOwn && client.surroundings.unreached === undefined;
  if (list !== undefined && isKnown) await checkLists(runner, client, list, owners);
}

function isAtFault({ recorder }: Runner, { id }: Operation): boolean {
  return recorder.findings.some(({ operation }) => operation === id);
}

export function report(
  runner: Runner,
  operation: Operation,
  title: string,
  description: string,
  steps: readonly Step[],
  breaches: readonly Breach[],
): void {
  for (const breach of breaches) runner.recorder.find(operation.id, title, description, steps, breach);
}
