/**
 * Finds out which operation is at fault if a delete contradicts a create. The contradiction alone does not
 * tell: if a delete does not find an item, either the create has not stored it, or the delete does not look
 * where it is. So further requests, the controls, make and delete other items, and show which of the two is
 * broken.
 */

import { absencesOf, succeeded, successesOf } from '../../document/statuses.js';
import type { Step } from '../answers/findings.js';
import { breachOf } from '../answers/findings.js';
import type { Consequence } from '../answers/prepared.js';
import type { Call } from './call.js';
import type { ResourceClient } from './client.js';
import { readList } from './follow-pages.js';
import type { Id } from './ids.js';
import { makeItem } from './make-item.js';

/** A server that loses only some creates may keep the first one that is looked at. */
const controls = 12;
/** Distances of ids that a reader which loses digits confuses. */
const neighbours = [1n, -1n, 2n ** 32n];

/**
 * Explains that an item is gone after a delete of it was refused. Makes up to twelve other items, and deletes
 * each: if a delete does not find one of them, either its create has not stored it, or has stored it under
 * another id, or the delete is broken. If all of them are found, the refused delete was done all the same.
 *
 * @param call the delete that did not find the item
 * @returns undefined if no operation deletes items
 */
export async function explainGone(
  client: ResourceClient,
  call: Call,
  id: Id,
): Promise<Consequence | undefined> {
  const { own, resource } = client;
  const { create, list, remove } = resource;
  if (remove === undefined) return undefined;
  for (let count = 0; count < controls; count++) {
    const content = client.plainContent('control');
    const { call: created, id: control } = await makeItem(client, content);
    const steps: Step[] = [created];
    const [refusal] = created.breaches;
    if (refusal !== undefined) return { steps, breach: { ...refusal, operation: create.id } };
    if (control === undefined) break;
    const removed = await client.item('first', remove, control);
    steps.push(removed);
    if (succeeded(remove, removed)) {
      own.remove('first', control, 'deleted');
      continue;
    }
    const marker = client.markers.of(content);
    const listed =
      list !== undefined &&
      client.reader.itemsOf(await readList(client, 'first', list)).some((item) => item.marker === marker);
    if (!listed) {
      const did = `the item ${control} was created, and a delete finds none`;
      return { steps, breach: breachOf(create, 'an item that was created is not there', did) };
    }
    const twin = await findTwin(client, control);
    const did = `the item ${control} was created and is listed, and a delete of ${control} finds none`;
    if (twin === undefined)
      return { steps, breach: breachOf(remove, 'a delete does not find its item', did) };
    const taken = `after ${control} was created, ${twin.id} is taken`;
    return { steps: [...steps, twin.call], breach: breachOf(create, 'two ids are taken for one', taken) };
  }
  const did = `the request was refused, and the item ${id} is gone all the same`;
  return { steps: [call], breach: breachOf(remove, 'a delete that was refused was done', did) };
}

/**
 * Finds an id near another one that the server takes for the same. In an exact store, a create of the near
 * id tells: it is answered 409 if the server has lost the digits in which the two differ.
 */
async function findTwin(client: ResourceClient, id: Id): Promise<{ call: Call; id: Id } | undefined> {
  const { own, identity, resource } = client;
  if (client.exactStore === undefined || typeof id !== 'bigint') return undefined;
  const statuses = [...successesOf(resource.create), 409];
  for (const near of neighbours.map((distance) => id + distance).filter((one) => identity.ids?.owns(one))) {
    const content = client.plainContent('twin');
    own.add({ owner: 'first', id: near, content });
    const call = await client.create('first', near, content, statuses);
    if (call.status === 409) return { call, id: near };
  }
  return undefined;
}

/**
 * Explains that an item whose create was refused could be deleted. Deletes an id that nobody has used: if
 * that succeeds, too, deletes always succeed. Otherwise the refused create has stored the item.
 *
 * @param call the delete that succeeded
 * @returns undefined if nothing can tell
 */
export async function explainStored(
  client: ResourceClient,
  call: Call,
  id: Id,
): Promise<Consequence | undefined> {
  const { create, remove } = client.resource;
  const nobodys = client.identity.ids?.fresh();
  if (remove === undefined || nobodys === undefined) return undefined;
  const control = await client.item('first', remove, nobodys, absencesOf(remove));
  if (succeeded(remove, control)) {
    if (!client.rules.on.has('deletes-once')) return undefined;
    const did = `a delete of an id that was never used was answered ${control.status}`;
    return { steps: [control], breach: breachOf(remove, 'a delete of nothing succeeds', did) };
  }
  const did = `the create was refused, and the item ${id} was there all the same: a delete was answered ${call.status}`;
  return { steps: [call], breach: breachOf(create, 'an item that was refused is stored', did) };
}
