/**
 * Asks the operations that read about one item, and finds the operation at fault if an answer is wrong.
 *
 * After a create of a plant, a get may show another name than the one that was sent. Either the create has
 * stored it wrongly, or the get shows it wrongly, and a finding should name the operation that a developer
 * has to mend. So the item is read by the other readers, too, and they are compared like witnesses:
 *
 * 1. If another reader shows what was written, the first reader is wrong.
 * 2. If all readers show something else, the writer is wrong.
 * 3. If there is no other reader, the item is written or deleted again, because the answer tells what was
 *    there. In an exact store, a repeated create is answered 409 if something else is stored. Elsewhere, a
 *    delete finds the item, or does not.
 *
 * It costs one request if the first reader is right, which is nearly always so, and a few otherwise.
 */

import type { Operation } from '../../document/operations.js';
import { absencesOf, succeeded, successesOf, successesOrAbsencesOf } from '../../document/statuses.js';
import { isObject, show, type Value } from '../../values/json.js';
import { differs } from '../../values/look-alike.js';
import type { Step } from '../answers/findings.js';
import { breachOf } from '../answers/findings.js';
import type { Consequence } from '../answers/prepared.js';
import type { Call } from './call.js';
import type { ResourceClient } from './client.js';
import type { Content } from './content.js';
import { mayBeHidden } from './default-filters.js';
import { mayEnd } from './expiry.js';
import { longestOf, readList } from './follow-pages.js';
import type { Id } from './ids.js';
import type { Owner } from './own-items.js';

/** The correct state of an item. */
interface Wanted {
  readonly owner: Owner;
  readonly id: Id;
  /** The content that the item should have; undefined if there should be no item. */
  readonly content: Content | undefined;
  /** The content before the operation that is tried. */
  readonly before?: Content | undefined;
}

/** The answer of one reading operation about an item. */
interface Testimony {
  readonly reader: Operation;
  readonly call: Call;
  readonly shown: Value | undefined;
  /** The fault of the answer, if any. */
  readonly did: string | undefined;
}

/** Asks the operations that read one item, and that list all. One whose answer cannot tell is left out. */
async function testimoniesOf(client: ResourceClient, wanted: Wanted): Promise<Testimony[]> {
  return [await fromGet(client, wanted), await fromList(client, wanted)].filter(
    (testimony) => testimony !== undefined,
  );
}

async function fromGet(client: ResourceClient, wanted: Wanted): Promise<Testimony | undefined> {
  const { get } = client.resource;
  // Without a documented status for it, the answer about an absent item is unknown.
  if (get === undefined || (wanted.content === undefined && absencesOf(get).length === 0)) return undefined;
  const statuses = successesOrAbsencesOf(get);
  return testimonyOf(client, get, wanted, await client.item(wanted.owner, get, wanted.id, statuses));
}

/**
 * Takes the answer of a get that has already come for a testimony.
 *
 * @returns undefined if the get failed for a reason that has nothing to do with the item
 */
export function testimonyOf(
  client: ResourceClient,
  get: Operation,
  wanted: Wanted,
  call: Call,
): Testimony | undefined {
  if (call.isExcused) return undefined;
  const shown = succeeded(get, call) ? client.reader.shownBy(get, call.outcome) : undefined;
  const [breach] = call.breaches;
  return { reader: get, call, shown, did: breach?.did ?? faultOf(client, get, wanted, shown, call.status) };
}

async function fromList(client: ResourceClient, wanted: Wanted): Promise<Testimony | undefined> {
  const { list } = client.resource;
  const { owner, id, content, before } = wanted;
  if (list === undefined || !client.reader.tellsItems) return undefined;
  const call = await readList(client, owner, list);
  if (call.isExcused) return undefined;
  const items = client.reader.itemsOf(call);
  const markers = [content, before].flatMap((known) => (known && client.markers.of(known)) ?? []);
  if (markers.length === 0 && !client.reader.showsIds) return undefined;
  const found = items.find(
    (item) => item.id === id || (item.marker !== undefined && markers.includes(item.marker)),
  );
  const longest = longestOf(list, call) ?? Number.POSITIVE_INFINITY;
  if (
    found === undefined &&
    content !== undefined &&
    (items.length >= longest || mayBeHidden(client.resource, content))
  )
    return undefined;
  return { reader: list, call, shown: found?.value, did: faultOf(client, list, wanted, found?.value) };
}

function faultOf(
  client: ResourceClient,
  reader: Operation,
  { id, content, before }: Wanted,
  shown: Value | undefined,
  status?: number,
): string | undefined {
  const where = `${reader.id} shows ${show(shown)} as the item ${id}`;
  if (content === undefined)
    return shown === undefined || isAnother(client, shown, before)
      ? undefined
      : `${where}, which is not there`;
  if (shown === undefined) return `${reader.id} does not show the item ${id}, ${show(content)}`;
  const member = client.reader.difference(reader, content, shown, status);
  if (member === undefined) return undefined;
  return `${where}, which is ${show(content)}: ${differs(member, content, shown)}`;
}

/** Whether an answer shows another item under the id of one that was deleted, because ids come again. */
function isAnother({ markers, own }: ResourceClient, shown: Value, before: Content | undefined): boolean {
  const deleted = before && markers.of(before);
  if (deleted === undefined) return own.idsComeAgain;
  return isObject(shown) && markers.of(shown) !== deleted;
}

/**
 * Reads an item after `writer` has succeeded, and compares it with what it must be.
 *
 * @param inHand the answer of a reader that has already come
 * @returns the fault and its operation if a reader shows something else; undefined if all is well
 */
export async function settle(
  client: ResourceClient,
  writer: Operation,
  wanted: Wanted,
  inHand?: Testimony,
): Promise<Consequence | undefined> {
  if (mayEnd(wanted.content) || client.own.mayHaveEnded(wanted)) return undefined;
  const first = inHand ?? (await fromGet(client, wanted)) ?? (await fromList(client, wanted));
  if (first?.did === undefined) return undefined;
  const [breach] = first.call.breaches;
  if (breach !== undefined) return { steps: [first.call], breach: { ...breach, operation: first.reader.id } };
  const others = (await testimoniesOf(client, wanted)).filter(({ reader }) => reader !== first.reader);
  const steps = [first, ...others].map(({ call }) => call);
  // If readers agree with each other they are right; so is one that shows what was written.
  if (others.some(({ did }) => did === undefined)) return blame(first.reader, first.did, steps);
  if (others.length > 0) return blame(writer, first.did, steps);
  return alone(client, writer, wanted, first);
}

/** Decides between the writer and the only reader by writing or deleting the item again. */
async function alone(
  client: ResourceClient,
  writer: Operation,
  { owner, id, content, before }: Wanted,
  { reader, call, shown, did = '' }: Testimony,
): Promise<Consequence> {
  if (content !== undefined && client.exactStore !== undefined) {
    const evidence = await createAgain(client, owner, id, content, shown === undefined);
    return blame(evidence.stored ? reader : client.resource.create, did, [call, ...evidence.steps]);
  }
  if (content !== undefined && shown !== undefined) {
    // A reader that still shows the old content did not get the change.
    const stale = before !== undefined && client.reader.difference(reader, before, shown) === undefined;
    return blame(stale ? writer : reader, did, [call]);
  }
  const evidence = await removeAgain(client, owner, id);
  if (evidence === undefined) return blame(reader, did, [call]);
  const written = content === undefined ? !evidence.wasThere : evidence.wasThere;
  return blame(written ? reader : writer, did, [call, evidence.step]);
}

/** Creates another item with the id, and then the same again: repeats show what is stored. */
async function createAgain(
  client: ResourceClient,
  owner: Owner,
  id: Id,
  content: Content,
  mayBeAbsent: boolean,
): Promise<{ stored: boolean; steps: readonly Step[] }> {
  const { create } = client.resource;
  const statuses = [...successesOf(create), 409];
  const steps: Step[] = [];
  if (mayBeAbsent) {
    const other = await client.create(owner, id, client.plainContent('other'), statuses);
    steps.push(other);
    if (other.status !== 409) return { stored: false, steps };
  }
  const same = await client.create(owner, id, content, statuses);
  return { stored: same.status !== 409, steps: [...steps, same] };
}

/** Deletes an item, which shows whether it was there. */
async function removeAgain(
  client: ResourceClient,
  owner: Owner,
  id: Id,
): Promise<{ wasThere: boolean; step: Step } | undefined> {
  const { remove } = client.resource;
  if (remove === undefined || absencesOf(remove).length === 0 || client.identity.edges.includes(id))
    return undefined;
  // By now, the id may be that of somebody else's item.
  if (client.own.idsComeAgain) return undefined;
  const call = await client.item(owner, remove, id, successesOrAbsencesOf(remove));
  return { wasThere: succeeded(remove, call), step: call };
}

function blame(operation: Operation, did: string, steps: readonly Step[]): Consequence {
  return { steps, breach: breachOf(operation, `${operation.id} does not do what it says`, did) };
}
