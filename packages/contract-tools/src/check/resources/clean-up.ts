/**
 * Removes, at the end of a run, the items that the checker has made, and says which ones it could not remove. The
 * list that it reads then is judged, too: it may be empty for the first time.
 */

import { UnreachableError } from '../../base/http/connection.js';
import type { Operation } from '../../document/operations.js';
import { absencesOf, succeeded, successesOf } from '../../document/statuses.js';
import { isObject, show } from '../../values/json.js';
import { LimitedError } from '../requests/exchange.js';
import type { Call } from './call.js';
import type { ResourceClient } from './client.js';
import { readList } from './follow-pages.js';
import type { Id } from './ids.js';
import type { Owner, OwnItem } from './own-items.js';

/**
 * Deletes all that may have been created, and what a list still shows of this run.
 *
 * @returns sentences that list what is left
 */
export async function cleanUp(client: ResourceClient, owners: readonly Owner[]): Promise<readonly string[]> {
  const { create, remove } = client.resource;
  const left = new Map<string, Id[]>();
  await Promise.all(
    client.own.all.map(async (item) => {
      const call = remove && (await unlessEnded(removeItem(client, remove, item)));
      if (!item.created || client.own.find(item.owner, item.id) === undefined) return;
      const why = remove
        ? `${remove.id} answered ${call?.status ?? 'nothing'}`
        : 'no operation of the document deletes it';
      left.set(why, [...(left.get(why) ?? []), item.id]);
    }),
  );
  const kept = Array.from(
    left,
    ([why, ids]) => `What ${create.id} created is still there, because ${why}: ${ids.join(', ')}.`,
  );
  const listed = await Promise.all(owners.map((owner) => unlessEnded(leftOf(client, owner))));
  return [...kept, ...listed.flatMap((sentences) => sentences ?? [])];
}

/** @returns undefined if the server does not take requests any more */
function unlessEnded<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof UnreachableError || error instanceof LimitedError) return undefined;
    throw error;
  });
}

/** @returns undefined if nothing was sent, because the item may be somebody else's */
async function removeItem(
  client: ResourceClient,
  remove: Operation,
  item: OwnItem,
): Promise<Call | undefined> {
  const { own } = client;
  const { owner, id } = item;
  if (client.identity.edges.includes(id) && !(await isOurs(client, item))) {
    own.remove(owner, id, 'refused');
    return undefined;
  }
  if (own.idsComeAgain && !(await isShownAsOurs(client, item))) return undefined;
  const call = await client.item(owner, remove, id, [...successesOf(remove), ...absencesOf(remove), 404]);
  if (succeeded(remove, call) || call.status === 404 || call.status === 410) own.remove(owner, id, 'deleted');
  return call;
}

/** Whether a GET of the item shows a marker of this run: its id may be that of somebody else's by now. */
async function isShownAsOurs(client: ResourceClient, { owner, id, content }: OwnItem): Promise<boolean> {
  const { get } = client.resource;
  if (get === undefined || client.markers.of(content) === undefined) return true;
  const call = await client.item(owner, get, id, [...successesOf(get), ...absencesOf(get), 404]);
  const shown = client.reader.shownBy(get, call.outcome);
  const isOurs = isObject(shown) && client.markers.of(shown) !== undefined;
  if (!isOurs) client.own.remove(owner, id, 'deleted');
  return isOurs;
}

/** At an edge, others may have an item: an uncertain one is deleted only if it is certainly ours. */
async function isOurs(
  client: ResourceClient,
  { owner, id, content, created = false }: OwnItem,
): Promise<boolean> {
  const { create } = client.resource;
  if (client.exactStore === undefined) return created;
  // Creating it again changes nothing if it is ours, and is refused if it is somebody else's.
  return succeeded(create, await client.create(owner, id, content, [...successesOf(create), 409]));
}

/**
 * Deletes the items of this run that a list still shows: a server may have stored what it refused.
 *
 * @returns a sentence about those that are left
 */
async function leftOf(client: ResourceClient, owner: Owner): Promise<string[]> {
  const { own, resource } = client;
  const { list, remove } = resource;
  if (list === undefined || remove === undefined) return [];
  const first = await readList(client, owner, list);
  if (!succeeded(list, first)) return [];
  client.judge(list, 'lists what is left in the end', `the ${owner} owner's list`, first);
  const marked = async (call?: Call) =>
    client.reader
      .itemsOf(call ?? (await readList(client, owner, list)))
      .filter(({ marker }) => marker !== undefined);
  const statuses = [...successesOf(remove), ...absencesOf(remove), 404];
  for (const { id, marker } of await marked(first)) {
    const former = id ?? own.former(marker ?? '')?.id;
    // At an edge, the create was refused because somebody else has an item there.
    if (former !== undefined && !client.identity.edges.includes(former))
      await client.item(owner, remove, former, statuses);
  }
  const listed = (await marked()).filter(({ id }) => id === undefined || own.find(owner, id) === undefined);
  const [one, ...others] = listed;
  if (one === undefined) return [];
  const many = others.length === 0 ? '' : `, and so are ${others.length} more of this run`;
  return [`${show(one.value)} is listed by ${list.id} after its removal was tried${many}.`];
}
