/**
 * Makes the first item of a resource. A valid create can fail as documented, because of what is around it: a
 * text may have to be a telephone number, or the name of something that exists. So the plainest content is
 * tried first, then the document's examples, with a marker and without, and then the content with all members. If
 * one of them succeeds, its item is kept, for others to refer to. If none does, nothing can be tried of the
 * resource, and the report says so.
 *
 * If others refer to it, an item like the document's example is kept instead: a payment may need an account with
 * money in it. If others cannot be made with that item, the plainest one takes its place.
 */

import { succeeded } from '../../document/statuses.js';
import { sameValue, type Value } from '../../values/json.js';
import { plainValue } from '../../values/valid-values.js';
import { exampleRequests, plainRequest } from '../requests/plain-request.js';
import type { RequestValues } from '../requests/request-values.js';
import { within } from './bodies.js';
import type { ResourceClient } from './client.js';
import { type Content, contentOf } from './content.js';
import { mayBeHidden } from './default-filters.js';
import { mayEnd } from './expiry.js';
import type { Id } from './ids.js';
import { makeItem } from './make-item.js';
import type { Owner } from './own-items.js';

/** Keeps the first item that could be made in `surroundings`, or says there why there is none. */
export async function reach(client: ResourceClient, owner: Owner): Promise<void> {
  const { resource, surroundings } = client;
  if (!client.identity.knowsOwn) return;
  const statuses = new Set<number>();
  if (await makeFirst(client, owner, statuses)) return;
  const changed = surroundings.needs.filter(({ target }) => target.useSpare(owner));
  if (changed.length > 0) {
    statuses.clear();
    if (await makeFirst(client, owner, statuses)) return;
  }
  if (![...statuses].some((status) => isRefusal(client, status))) return;
  const answers = [...statuses].join(' and ');
  surroundings.unreached = `the first attempts of ${resource.create.id} were answered ${answers}, which is documented: add an example of a body that it takes`;
}

/**
 * @param statuses gets those of the creates that failed
 * @returns whether a create has succeeded
 */
async function makeFirst(client: ResourceClient, owner: Owner, statuses: Set<number>): Promise<boolean> {
  const { resource, surroundings } = client;
  const { create } = resource;
  for (const { content, isPlain } of candidatesOf(client, owner)) {
    const { call, id } = await makeItem(client, content, owner);
    if (id !== undefined) {
      const like = isPlain && surroundings.isNeeded ? await makeLikeExample(client, owner) : undefined;
      surroundings.keep(owner, like ?? id, id);
      if (isPlain) await learnTimes(client, owner);
      // If each valid request succeeds, only what the plainest one refers to may be absent.
      const isChoosy = !isPlain || !client.rules.on.has('valid-requests-succeed');
      if (owner === 'first' && isChoosy) await learn(client, content, isPlain);
      return true;
    }
    if (succeeded(create, call)) return true;
    if (call.status !== undefined) statuses.add(call.status);
    forgetRefused(client);
  }
  return false;
}

function forgetRefused({ own }: ResourceClient): void {
  for (const item of own.all) if (!item.created) own.remove(item.owner, item.id, 'refused');
}

/** @returns the id of the item; undefined if no example says more than the plainest request, or if none is taken */
async function makeLikeExample(client: ResourceClient, owner: Owner): Promise<Id | undefined> {
  const plainest = contentOf(client.resource.members, plainBody(client));
  const mayGo = (content: Content): boolean => mayEnd(content) || mayBeHidden(client.resource, content);
  const told = examplesOf(client).filter((content) => !sameValue(content, plainest) && !mayGo(content));
  for (const content of told) {
    const { id } = await makeItem(client, markedExample(client, owner, content), owner);
    if (id !== undefined) return id;
    forgetRefused(client);
  }
  return undefined;
}

function plainBody({ resource }: ResourceClient): RequestValues['body'] {
  return within(resource, resource.create, plainRequest(resource.create).body);
}

function isRefusal({ resource }: ResourceClient, status = 0): boolean {
  return status >= 400 && status < 500 && resource.create.responses.has(status);
}

/** Finds out whether one item is in the way of another at the same time (own-times.ts). */
async function learnTimes(client: ResourceClient, owner: Owner): Promise<void> {
  const { create } = client.resource;
  const { times } = client.surroundings;
  if (times.areNeeded || !times.canBeGiven || !create.responses.has(409)) return;
  if ((await makeItem(client, undefined, owner)).call.status !== 409) return;
  times.areNeeded = true;
  times.areNeeded = (await makeItem(client, undefined, owner)).id !== undefined;
  if (times.areNeeded)
    client.note(
      `${create.id} refuses an item at the time of another one, so that each has got dates and times of its own.`,
    );
}

/**
 * Finds the members of which the server knows more than the document says: it refuses their plainest values.
 */
async function learn(client: ResourceClient, content: Content, isPlain: boolean): Promise<void> {
  const { markers, resource, surroundings } = client;
  const carries = (name: string): boolean => markers.of({ [name]: content[name] ?? null }) !== undefined;
  // If only an example without a marker is taken, no member is to get one.
  const none = isPlain ? undefined : '';
  markers.carrier = resource.members.find(({ name }) => carries(name))?.name ?? none;
  if (isPlain && (await makeItem(client, client.plainContent('whole', 'with'))).id !== undefined) return;
  const base: Record<string, Value> = {};
  const refused: string[] = [];
  for (const { name, schemas } of resource.members) {
    if (carries(name) || surroundings.refersAt(name)) continue;
    const changed = { ...content, [name]: plainValue(schemas) };
    const { call } = await makeItem(client, markers.put(changed, markers.fresh()));
    if (!isRefusal(client, call.status)) continue;
    surroundings.choosy.add(name);
    refused.push(`"${name}"`);
    const value = content[name];
    if (value !== undefined) base[name] = value;
  }
  surroundings.base = base;
  if (refused.length > 0)
    client.note(`${resource.create.id} refuses values of ${refused.join(', ')} that the document allows.`);
}

/** The plainest content, the document's examples, and the content with all optional members. */
function candidatesOf(
  client: ResourceClient,
  owner: Owner,
): { readonly content: Content; readonly isPlain: boolean }[] {
  const examples = examplesOf(client).flatMap((content) => [
    markedExample(client, owner, content),
    // The only text may have to be the example's, such as the id of a room.
    client.surroundings.fill(owner, content),
  ]);
  return [
    { content: client.plainContent('to be kept', 'without', owner), isPlain: true },
    ...examples.map((content) => ({ content, isPlain: false })),
    { content: client.plainContent('to be kept', 'with', owner), isPlain: false },
  ];
}

/** What the document's examples say of an item. */
function examplesOf({ reader, resource }: ResourceClient): Content[] {
  const { create } = resource;
  return exampleRequests(create).map(({ body }) => reader.contentOf(within(resource, create, body)));
}

function markedExample({ markers, surroundings }: ResourceClient, owner: Owner, content: Content): Content {
  return markers.put(surroundings.fill(owner, content), markers.fresh());
}
