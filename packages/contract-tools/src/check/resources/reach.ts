/**
 * Makes the first item of a resource. A valid create can fail as documented, because of what is around it: a
 * text may have to be a telephone number, or the name of something that exists. So the plainest content is
 * tried first, then the document's examples, with a marker and without, and then the content with all members. If one of them succeeds,
 * its item is kept, for others to refer to. If none does, nothing can be tried of the resource, and the
 * report says so. If others refer to it, an item like the document's example is kept instead: a payment may need an account
 * with money in it.
 */

import { succeeded } from '../../document/statuses.js';
import type { Value } from '../../values/json.js';
import { plainValue } from '../../values/valid-values.js';
import { exampleRequests } from '../requests/plain-request.js';
import { within } from './bodies.js';
import type { ResourceClient } from './client.js';
import type { Content } from './content.js';
import type { Id } from './ids.js';
import { makeItem } from './make-item.js';
import type { Owner } from './own-items.js';

/** Keeps the first item that could be made in `surroundings`, or says there why there is none. */
export async function reach(client: ResourceClient, owner: Owner): Promise<void> {
  const { own, resource, surroundings } = client;
  const { create } = resource;
  if (!client.identity.knowsOwn) return;
  const statuses = new Set<number>();
  for (const { content, isPlain } of candidatesOf(client, owner)) {
    const { call, id } = await makeItem(client, content, owner);
    if (id !== undefined) {
      const like = isPlain && surroundings.isNeeded ? await makeLikeExample(client, owner) : undefined;
      surroundings.keep(owner, like ?? id);
      if (isPlain) await learnTimes(client, owner);
      // If each valid request succeeds, only what the plainest one refers to may be absent.
      const isChoosy = !isPlain || !client.rules.on.has('valid-requests-succeed');
      if (owner === 'first' && isChoosy) await learn(client, content, isPlain);
      return;
    }
    if (succeeded(create, call)) return;
    if (call.status !== undefined) statuses.add(call.status);
    for (const item of own.all) if (!item.created) own.remove(item.owner, item.id, 'refused');
  }
  if (![...statuses].some((status) => isRefusal(client, status))) return;
  const answers = [...statuses].join(' and ');
  surroundings.unreached = `the first attempts of ${create.id} were answered ${answers}, which is documented: add an example of a body that it takes`;
}

/** @returns the id of the item; undefined if there is no example, or if none is taken */
async function makeLikeExample(client: ResourceClient, owner: Owner): Promise<Id | undefined> {
  for (const content of examplesOf(client, owner)) {
    const { id } = await makeItem(client, content, owner);
    if (id !== undefined) return id;
  }
  return undefined;
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
  return [
    { content: client.plainContent('to be kept', 'without', owner), isPlain: true },
    ...examplesOf(client, owner).map((content) => ({ content, isPlain: false })),
    { content: client.plainContent('to be kept', 'with', owner), isPlain: false },
  ];
}

/** What the document's examples say, each with a marker and without. */
function examplesOf(client: ResourceClient, owner: Owner): Content[] {
  return exampleRequests(client.resource.create).flatMap(({ body }) => {
    const told = within(client.resource, client.resource.create, body);
    const content = client.surroundings.fill(owner, client.reader.contentOf(told));
    // The only text may have to be the example's, such as the id of a room.
    return [client.markers.put(content, client.markers.fresh()), content];
  });
}
