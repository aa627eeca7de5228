/** Whether `limit` cuts a list exactly. */
import type { Operation } from '../description.js';
import { writeJson } from '../json.js';
import type { ResourceClient, ShownItem } from '../resources/client.js';
import { report, titles } from '../resources/crowd.js';
import { listFault } from '../resources/listing.js';
import { forEach, type Runner } from '../runner.js';

/**
 * Other clients may change the list of a shared account meanwhile. Even then, a list has no more items than
 * `limit`, and no fewer than our own. Only a list that stands still must match exactly.
 */
export async function checkLimits(runner: Runner, client: ResourceClient, list: Operation): Promise<void> {
  if (list.parameters.every(({ name }) => name !== client.promises.limit)) return;
  const whole = client.itemsOf(await client.list('first', list));
  const count = whole.length;
  const limits = new Set([1, 2, 3, 10, 20, 50, 99, 100, 101, count - 1, count, count + 1, 2 ** 31 - 1]);
  const cut = await collect(
    runner,
    [...limits].filter((limit) => limit > 0),
    async (limit) => ({
      limit,
      call: await client.list('first', list, limit),
    }),
  );
  const after = client.itemsOf(await client.list('first', list));
  const certain = Math.min(client.own.of('first').length, count, after.length);
  for (const { limit, call } of cut) {
    runner.recorder.case(list.id, titles.limit);
    const description = `limit is ${limit}, and there are ${count} items`;
    report(runner, list, titles.limit, description, [call], call.breaches);
    if (call.breaches.length > 0) continue;
    const items = client.itemsOf(call);
    const impossible = items.length > limit || items.length < Math.min(limit, certain);
    const suspect = !isCut(items, whole, limit) && !isCut(items, after, limit);
    if (!impossible && !(suspect && (await isCutWrongly(client, list, limit)))) continue;
    const did =
      items.length === Math.min(limit, count)
        ? `the list is not the first ${limit} of the whole list`
        : `the list has ${items.length} items: limit is ${limit}, and the whole list has ${count}`;
    const fault = listFault(list, call, did);
    report(runner, list, titles.limit, description, fault.steps, [fault.breach]);
  }
}

/**
 * Looks again ten times, with whole lists before, after and at the same moment: changes of other clients can
 * happen in step with our requests, and leave some lists unchanged, but not all of these.
 */
async function isCutWrongly(client: ResourceClient, list: Operation, limit: number): Promise<boolean> {
  for (let look = 0; look < 10; look++) {
    const lists = await Promise.all(
      [undefined, undefined, limit, undefined, undefined].map((one) => client.list('first', list, one)),
    );
    const [whole = [], other = [], items = [], ...others] = lists.map((call) => client.itemsOf(call));
    if (isCut(items, whole, limit)) return false;
    if ([other, ...others].some((list) => textOf(list) !== textOf(whole))) return false;
  }
  return true;
}

function isCut(items: readonly ShownItem[], whole: readonly ShownItem[], limit: number): boolean {
  return textOf(items) === textOf(whole.slice(0, limit));
}

function textOf(items: readonly ShownItem[]): string {
  return writeJson(items.map(({ value }) => value));
}

async function collect<Item, Result>(
  runner: Runner,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEach(runner, items, async (item) => {
    results.push(await work(item));
  });
  return results;
}
