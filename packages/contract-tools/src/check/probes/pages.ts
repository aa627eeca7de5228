/**
 * Checks that the pages of a list have every item once, in one order, and keep their limit, while items come
 * and go.
 */

import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { type Paging, sizeBounds } from '../../resources/paging.js';
import { listOf } from '../../resources/shape.js';
import type { Step } from '../answers/findings.js';
import { forEach } from '../requests/at-once.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import { followPages } from '../resources/follow-pages.js';
import { makeItem } from '../resources/make-item.js';
import type { OwnItem } from '../resources/own-items.js';
import { grow } from './lists.js';
import type { Trial } from './trial.js';

/** Enough pages to see how one follows the other. */
const pagesWanted = 9;

export async function probePages(trial: Trial, list: Operation): Promise<void> {
  const { client } = trial;
  const { paging, resource } = client;
  if (paging === undefined) {
    // Nothing says that a list without an envelope comes in pages.
    const mayBePaged = listOf(list)?.longest !== undefined;
    if (mayBePaged) trial.say(`not followed, because no parameter of ${list.id} says where a page begins`);
    return;
  }
  const crowd = await grow(trial, list, ['first']);
  const asked = await followPages(client, 'first', list, paging);
  complain(trial, list, 'pages as large as possible', asked);
  if (asked.isWhole !== true) {
    if (asked.breaches.length === 0) trial.say(`not tried, because ${list.id} was not read to its end`);
    return;
  }
  const usual = await followPages(client, 'first', list, paging, { size: 'none' });
  expectAll(trial, list, 'pages of the usual size', usual, asked);
  if (resource.remove === undefined)
    trial.say('tried with few items, because no operation would delete more');
  if (paging.size === undefined)
    return trial.say('tried in the usual size, because no parameter sets another');
  const { least, most } = sizeBounds(paging.size);
  const size = Math.min(most, Math.max(least, Math.ceil(client.reader.itemsOf(asked).length / pagesWanted)));
  const small = await followPages(client, 'first', list, paging, { size });
  expectAll(trial, list, `pages of ${size}`, small, asked);
  await checkSizes(trial, list, paging);
  if (paging.cursor !== undefined) await whileItemsChange(trial, list, paging, size, crowd);
  else trial.say('not tried while items come and go, because pages that are counted move then');
}

function complain(trial: Trial, list: Operation, why: string, call: Call): boolean {
  trial.begin(list);
  trial.judge(list, why, call);
  return call.breaches.length === 0;
}

/** Expects the checker's own items, each once and in the order of a list that was read before. */
function expectAll(trial: Trial, list: Operation, why: string, call: Call, before: Call): void {
  if (!complain(trial, list, why, call) || call.isWhole !== true) return;
  const { client } = trial;
  const keys = keysOf(client, call);
  const expected = client.own.of('first').flatMap((item) => keyOf(client, item) ?? []);
  const find = (rule: string, did: string): void =>
    trial.find(list, why, call.pages ?? [call], { rule, did });
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  const missing = expected.find((key) => !keys.includes(key));
  if (twice !== undefined) find('an item is on two pages', `${twice} came twice on ${why}`);
  else if (missing !== undefined)
    find('an item is on no page', `${missing} was created, and is not on ${why}`);
  const order = keysOf(client, before).filter((key) => keys.includes(key));
  const wrong = keys.filter((key) => order.includes(key)).findIndex((key, index) => key !== order[index]);
  if (wrong >= 0 && twice === undefined) {
    find(
      'pages of different sizes differ in order',
      `${keys[wrong]} comes as number ${wrong + 1} on ${why} only`,
    );
  }
}

function keyOf(client: ResourceClient, { id, content }: OwnItem): string | undefined {
  return client.markers.of(content) ?? (client.reader.showsIds ? `the item ${id}` : undefined);
}

/** Names the checker's own items on the pages of a list, in their order, by marker or id. */
function keysOf(client: ResourceClient, call: Call): string[] {
  return client.reader.itemsOf(call).flatMap(({ id, marker }) => {
    if (marker !== undefined) return [marker];
    const own = id === undefined ? undefined : client.own.find('first', id);
    return own === undefined ? [] : [client.markers.of(own.content) ?? `the item ${id}`];
  });
}

async function checkSizes(pages: Trial, list: Operation, { size }: Paging): Promise<void> {
  if (size === undefined) return;
  const trial = pages.titled('has no more items on a page than were asked for');
  const { client, run } = trial;
  const { least, most } = sizeBounds(size);
  const sizes = [...new Set([least, least + 1, 5, most - 1, most])].filter(
    (one) => one >= least && one <= most,
  );
  await forEach(run, sizes, async (asked) => {
    trial.begin(list);
    const query = { [size.name]: String(asked) };
    const call = await client.call('first', list, { query }, [200]);
    const count = client.reader.itemsOf(call).length;
    if (call.breaches.length > 0 || count <= asked) return;
    const did = `${size.name} is ${asked}, and the page has ${count} items`;
    trial.find(list, `${size.name} is ${asked}`, [call], { rule: 'a page is longer than asked for', did });
  });
}

/** One item is created and two are deleted between two pages: those that stay must still come, each once. */
async function whileItemsChange(
  trial: Trial,
  list: Operation,
  paging: Paging,
  size: number,
  crowd: readonly OwnItem[],
): Promise<void> {
  const { client } = trial;
  const { own, resource } = client;
  const { remove } = resource;
  if (remove === undefined) return;
  trial.begin(list);
  const before = own.of('first').filter((item) => item.created);
  const steps: Step[] = [];
  const seen = new Set<string>();
  const afterPage = async (page: Call): Promise<void> => {
    if (steps.length > 0) return;
    const isOn = (keys: Iterable<string>, item: OwnItem): boolean =>
      [...keys].includes(keyOf(client, item) ?? '');
    const keys = keysOf(client, page);
    for (const key of keys) seen.add(key);
    // Other probes still need their items.
    const here = crowd.find((item) => isOn(keys, item));
    const later = crowd.findLast((item) => !isOn(seen, item));
    if (here === undefined || later === undefined) return;
    for (const item of [here, later]) {
      const call = await client.item('first', remove, item.id);
      if (succeeded(remove, call)) own.deleted(item, call.status);
      steps.push(call);
    }
    steps.push((await makeItem(client)).call);
  };
  const call = await followPages(client, 'first', list, paging, { size, afterPage });
  if (call.isWhole !== true) return;
  const keys = keysOf(client, call);
  const stayed = before
    .filter(({ id, content }) => {
      // The new item may have the id of one that was deleted.
      const there = own.find('first', id);
      return there !== undefined && !own.mayHaveEnded(there) && own.isSame(there.content, content);
    })
    .flatMap((item) => keyOf(client, item) ?? []);
  const wrong = stayed.find((key) => keys.filter((other) => other === key).length !== 1);
  if (wrong === undefined) return;
  const times = keys.filter((key) => key === wrong).length;
  const did = `${wrong} came ${times === 0 ? 'not at all' : `${times} times`}, although it was there all the while`;
  const [first, ...others] = call.pages ?? [];
  const inOrder = [...(first ? [first] : []), ...steps, ...others];
  trial.find(list, 'items come and go between two pages', inOrder, {
    rule: 'a page moves when other items come and go',
    did,
  });
}
