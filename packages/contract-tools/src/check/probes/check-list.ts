/**
 * Checks that a list has the checker's own items, each once and as it was written, and none of another owner.
 * Others may have items in the same list, so a listed item counts only if its marker or its id is known. In an
 * exact store, the order and the cut at a limit are checked, too.
 */

import type { Operation } from '../../document/operations.js';
import { show, type Value } from '../../values/json.js';
import { lookAlike } from '../../values/look-alike.js';
import type { Step } from '../answers/findings.js';
import { breachOf } from '../answers/findings.js';
import type { Consequence } from '../answers/prepared.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import { longestOf } from '../resources/follow-pages.js';
import type { Owner, OwnItem } from '../resources/own-items.js';
import { settle } from '../resources/readers.js';
import { doubt } from './denied.js';

interface ListingOptions {
  readonly client: ResourceClient;
  readonly list: Operation;
  readonly owner: Owner;
  /** The items that the list must have, by ascending id. */
  readonly expected: readonly OwnItem[];
  /** Whether a marked item must be in `expected`; the other marked items belong to other checks. */
  readonly concerns: (marker: string) => boolean;
}

/**
 * @param call the answer of a list that was asked for with this limit
 * @returns the first fault; undefined if there is none, or if nothing tells the items of the list apart
 */
export async function checkListing(
  options: ListingOptions,
  call: Call,
  limit = Number.POSITIVE_INFINITY,
): Promise<Consequence | undefined> {
  const { client, list, owner, expected, concerns } = options;
  if (!client.reader.tellsItems) return undefined;
  const all = client.reader.itemsOf(call);
  // Everybody may see a list that asks for no token.
  const isolated = list.secured && !list.anonymous && client.rules.on.has('isolation');
  const keyOf = (item: OwnItem): string => client.markers.of(item.content) ?? `${item.id}`;
  const [known, right] = [new Set(client.own.all.map(keyOf)), new Set(expected.map(keyOf))];
  // It is asked once, because an item may end by itself meanwhile.
  const doubtful = new Set(client.own.all.filter((item) => client.own.isDoubtful(item)).map(keyOf));
  const isKnown = (key: string): boolean => known.has(key) || client.own.former(key) !== undefined;
  const listed = all.flatMap(({ id, marker, value }) => {
    const own = id === undefined ? undefined : client.own.find(owner, id);
    if (own !== undefined && doubtful.has(keyOf(own))) return [];
    const key = marker ?? (own && keyOf(own));
    // An item whose create had no understandable answer is nobody's that we know.
    if (key === undefined || !concerns(key) || !isKnown(key)) return [];
    const isTheirs = !right.has(key) && client.own.former(key)?.owner !== owner;
    return isTheirs && !isolated ? [] : [{ key, value }];
  });
  const keys = listed.map(({ key }) => key);
  const listedKeys = new Set(keys);
  const byId = client.reader.showsIds;
  const wanted = expected
    .filter(({ content }) => byId || client.markers.of(content) !== undefined)
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => !doubtful.has(key));
  const fault = (did: string): Consequence => listFault(list, call, did);
  if (all.length > limit) return fault(`it has ${all.length} items, and limit is ${limit}`);
  const wantedKeys = new Set(wanted.map(({ key }) => key));
  const extra = listed.find(({ key }) => !wantedKeys.has(key));
  if (extra !== undefined) return explainExtra(options, call, extra.key, extra.value);
  const twice = listed.find(({ key }, index) => keys.indexOf(key) < index);
  if (twice !== undefined) return fault(`${show(twice.value)} is listed twice`);
  // A list shorter than its limit is complete; any other begins with the least ids, if it is ordered.
  const isOrdered = client.exactStore !== undefined;
  const longest = Math.min(limit, longestOf(list, call) ?? limit);
  const begun = isOrdered ? wanted.slice(0, listed.length) : wanted.filter(({ key }) => listedKeys.has(key));
  const complete = all.length < longest ? wanted : begun;
  const missing = complete.find(({ key }) => !listedKeys.has(key));
  if (missing !== undefined) return explain(options, call, missing.item, undefined);
  const misplaced = isOrdered ? complete.findIndex(({ key }, index) => key !== keys[index]) : -1;
  if (misplaced >= 0) return fault(`${show(listed[misplaced]?.value)} is not in the order of the ids`);
  const changed = complete
    .map(({ item, key }) => ({ item, value: listed[keys.indexOf(key)]?.value }))
    .find(({ item, value }) => client.reader.difference(list, item.content, value) !== undefined);
  return changed && explain(options, call, changed.item, changed.value);
}

function listFault(list: Operation, call: Step, did: string): Consequence {
  return { steps: [call], breach: breachOf(list, 'the list is not what it should be', did) };
}

async function explain(
  { client, list }: ListingOptions,
  call: Call,
  { owner, id, content }: OwnItem,
  shown: Value | undefined,
): Promise<Consequence> {
  const did =
    shown === undefined
      ? `the item ${id}, ${show(content)}, was created and is not listed`
      : `the item ${id} is ${show(content)}, and is listed as ${show(shown)}${lookAlike(content, shown)}`;
  const { create } = client.resource;
  const settled = await settle(client, create, { owner, id, content }, { reader: list, call, shown, did });
  return settled ?? listFault(list, call, did);
}

/** Items that were refused or deleted, or that belong to somebody else, must not be in the list. */
async function explainExtra(
  { client, list, owner }: ListingOptions,
  call: Call,
  key: string,
  shown: Value,
): Promise<Consequence> {
  const { create, remove } = client.resource;
  const former = client.own.former(key);
  if (former === undefined || former.owner !== owner) {
    const did = `${show(shown)} is another owner's ${doubt}`;
    const breach = breachOf(list, "the list shows another owner's item", did);
    return { steps: [call], breach: { ...breach, by: 'isolation' } };
  }
  const { id, why, content } = former;
  const writer = why === 'refused' || remove === undefined ? create : remove;
  const did = `${show(shown)} was ${why}, and is listed`;
  if (id === undefined) {
    return { steps: [call], breach: breachOf(writer, 'what was refused is stored', did) };
  }
  const wanted = { owner, id, content: undefined, before: content };
  const settled = await settle(client, writer, wanted, { reader: list, call, shown, did });
  return settled ?? listFault(list, call, did);
}
