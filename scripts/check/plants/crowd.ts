/** Many plants at once: what a page of a list cuts off, and what a limit cuts, shows only then. */
import type { Step } from '../findings.js';
import { forEach, type Run } from '../run.js';
import { type PlantsClient, plantsOf } from './client.js';
import { checkListing, type ListFault, listFault } from './listing.js';
import type { Owner, OwnPlants } from './own-plants.js';

/** More than the pages that servers usually cut lists into: 20, 50, 100, 200. */
const crowd = 250;
const titles = {
  list: 'lists every plant once, in order, as it was created, and nobody else’s',
  limit: 'cuts the list exactly at limit',
  remove: 'deletes what was created, once',
};

export async function probeCrowd(run: Run, client: PlantsClient, own: OwnPlants): Promise<void> {
  const owners: Owner[] = run.otherToken === undefined ? ['first'] : ['first', 'second'];
  await grow(run, client, own, owners);
  await checkLists(run, client, own, owners);
  await checkLimits(run, client, own);
  await checkDeletes(run, client, own, owners);
  await checkLists(run, client, own, owners);
}

async function grow(run: Run, client: PlantsClient, own: OwnPlants, owners: readonly Owner[]): Promise<void> {
  const missing = Array.from(
    { length: Math.max(0, crowd - own.of('first').length) },
    () => owners[0] ?? 'first',
  );
  await forEach(run, [...missing, ...owners, ...owners], async (owner) => {
    const plant = { owner, id: own.freshId(), content: { name: `${own.freshMark()} one of many` } };
    own.add(plant);
    const call = await client.create(owner, plant.id, plant.content, [200]);
    report(run, client, titles.list, 'one of many', [call], call.breaches, client.operations.create.id);
    if (call.status === 200) own.confirm(owner, plant.id);
  });
}

async function checkLists(
  run: Run,
  client: PlantsClient,
  own: OwnPlants,
  owners: readonly Owner[],
): Promise<void> {
  for (const owner of owners) {
    run.recorder.case(client.operations.list.id, titles.list);
    const call = await client.list(owner);
    report(run, client, titles.list, 'the whole list', [call], call.breaches);
    if (call.breaches.length > 0) continue;
    const uncertain = own.uncertainMarks;
    const concerns = (mark: string): boolean => !uncertain.has(mark);
    const options = { client, own, owner, expected: own.of(owner), concerns };
    await reportFault(run, client, titles.list, 'the whole list', await checkListing(options, call));
  }
}

/**
 * A shared account's list can grow and shrink meanwhile. What is certain then is that a list has no more plants
 * than `limit`, and no fewer than those of our own; more is said only of a list that stands still.
 */
async function checkLimits(run: Run, client: PlantsClient, own: OwnPlants): Promise<void> {
  const whole = plantsOf(await client.list('first'));
  const count = whole.length;
  const limits = new Set([1, 2, 3, 10, 20, 50, 99, 100, 101, count - 1, count, count + 1, 2 ** 31 - 1]);
  const cut = await collect(
    run,
    [...limits].filter((limit) => limit > 0),
    async (limit) => ({
      limit,
      call: await client.list('first', limit),
    }),
  );
  const after = plantsOf(await client.list('first'));
  const certain = Math.min(own.of('first').length, count, after.length);
  for (const { limit, call } of cut) {
    run.recorder.case(client.operations.list.id, titles.limit);
    const description = `limit is ${limit}, and there are ${count} plants`;
    report(run, client, titles.limit, description, [call], call.breaches);
    if (call.breaches.length > 0) continue;
    const plants = plantsOf(call);
    const impossible = plants.length > limit || plants.length < Math.min(limit, certain);
    const suspect = !isCut(plants, whole, limit) && !isCut(plants, after, limit);
    if (!impossible && !(suspect && (await isCutWrongly(client, limit)))) continue;
    const did =
      plants.length === Math.min(limit, count)
        ? `the list is not the first ${limit} of the whole list`
        : `the list has ${plants.length} plants: limit is ${limit}, and the whole list has ${count}`;
    await reportFault(run, client, titles.limit, description, listFault({ client }, call, did));
  }
}

/**
 * Looks again, ten times, with whole lists asked for at the same moment, before and after: others' changes can
 * come in step with our requests, and leave a list that looks the same, but not to all of these.
 */
async function isCutWrongly(client: PlantsClient, limit: number): Promise<boolean> {
  for (let look = 0; look < 10; look++) {
    const lists = await Promise.all(
      [undefined, undefined, limit, undefined, undefined].map((one) => client.list('first', one)),
    );
    const [whole = [], other, plants = [], ...others] = lists.map(plantsOf);
    if (isCut(plants, whole, limit)) return false;
    if ([other, ...others].some((list) => JSON.stringify(list) !== JSON.stringify(whole))) return false;
  }
  return true;
}

function isCut(plants: readonly unknown[], whole: readonly unknown[], limit: number): boolean {
  return JSON.stringify(plants) === JSON.stringify(whole.slice(0, limit));
}

async function collect<Item, Result>(
  run: Run,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEach(run, items, async (item) => {
    results.push(await work(item));
  });
  return results;
}

async function checkDeletes(
  run: Run,
  client: PlantsClient,
  own: OwnPlants,
  owners: readonly Owner[],
): Promise<void> {
  await forEach(
    run,
    owners.flatMap((owner) => own.of(owner)),
    async ({ owner, id }) => {
      run.recorder.case(client.operations.remove.id, titles.remove);
      const call = await client.remove(owner, id, [204]);
      report(
        run,
        client,
        titles.remove,
        `the plant ${id}`,
        [call],
        call.breaches,
        client.operations.remove.id,
      );
      if (call.status === 204 || call.status === 404) own.remove(owner, id, 'deleted');
    },
  );
}

function report(
  run: Run,
  client: PlantsClient,
  title: string,
  description: string,
  steps: readonly Step[],
  breaches: readonly ListFault['breach'][],
  operation = client.operations.list.id,
): void {
  for (const breach of breaches) run.recorder.find(operation, title, description, steps, breach);
}

async function reportFault(
  run: Run,
  client: PlantsClient,
  title: string,
  description: string,
  fault: ListFault | undefined,
): Promise<void> {
  if (fault !== undefined) report(run, client, title, description, fault.steps, [fault.breach]);
}
