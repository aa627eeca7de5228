/**
 * Tries whether the second owner can read, change, delete or list what belongs to the first, whether it can create
 * something below it, and whether it can do something with it by a path below, such as `POST /jobs/{job}/invoice`. Each
 * attack goes to an item that the first owner has just read correctly. Afterwards the first owner reads the item again,
 * because a server may refuse a change and do it all the same. A request that was answered in another way than by a
 * refusal tells nothing, and the report says why. If a key beside the token names the tenant, as `X-Tenant` does, the
 * second owner also reads with its own token and the first one's tenant.
 *
 * An action can change its item so that nobody may call it again. So each caller gets a new item for it, if need be one
 * that another action has prepared, and only what succeeds for the owner tells something if others are refused.
 */

import { isSafe, type Operation } from '../../document/operations.js';
import { documented, succeeded, successesOrAbsencesOf } from '../../document/statuses.js';
import { parentNamesOf } from '../../resources/shape.js';
import { isObject, sameValue, show } from '../../values/json.js';
import { ask as askAs } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import { plainRequest } from '../requests/plain-request.js';
import { requestFor } from '../requests/request.js';
import { withId, within } from '../resources/bodies.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import { followPages, readList } from '../resources/follow-pages.js';
import { makeWhole } from '../resources/make-item.js';
import type { Owner, OwnItem } from '../resources/own-items.js';
import { settle } from '../resources/readers.js';
import { changesBetween, type Look } from '../resources/shown-item.js';
import { bodyFor, changedBody, filledBody } from '../resources/updates.js';
import { actionsOn, belowItems, observe, walksOn } from './actions.js';
import { denials, doubt, judgeDenial } from './denied.js';
import type { Trial } from './trial.js';

/** The operations behind credentials, each with what the second owner does with it. */
export function attacksOn(trial: Trial): { readonly operation: Operation; readonly attack: Attack }[] {
  const { resource } = trial.client;
  const { create, list, get, replace, modify, remove } = resource;
  // A create below somebody's item changes that item.
  const below = parentNamesOf(resource).length > 0 ? create : undefined;
  const attacks: readonly (readonly [Operation | undefined, Attack])[] = [
    [get, read],
    [replace, written],
    [modify, written],
    [remove, written],
    [list, listed],
    [below, added],
    ...belowItems(trial).map((operation) => [operation, acted] as const),
  ];
  return attacks.flatMap(([operation, attack]) => (operation?.secured ? [{ operation, attack }] : []));
}

export async function probeIsolation(trial: Trial, create: Operation): Promise<void> {
  const { client } = trial;
  const closed = attacksOn(trial).filter(({ operation }) => !operation.anonymous);
  const newItem = () => makeWhole(client, 'of the first owner');
  const item = await newItem();
  if (item === undefined) return trial.say(`not tried, because ${create.id} makes no item`);
  const tried: string[] = [];
  for (const { operation, attack } of closed) {
    const untold: string[] = [];
    for (const parents of attack === listed || attack === added ? firstOnly : parentsFor(client)) {
      trial.begin(operation);
      // A fault may have deleted it.
      const there = client.own.find('first', item.id) ?? (await newItem()) ?? item;
      // Another probe reports an item that is wrong before anybody has touched it.
      const { id, content } = there;
      const isWrong = await settle(client, create, { owner: 'first', id, content });
      const why = isWrong ? 'the item was wrong before' : await attack(trial, operation, there, parents);
      if (why !== undefined) untold.push(why);
    }
    const [why] = untold;
    if (why === undefined) tried.push(`${operation.id} (${operation.method})`);
    else trial.say(`${operation.id} (${operation.method}) tells nothing, because ${why}`);
  }
  if (tried.length > 0) trial.say(`the second owner tried ${tried.join(', ')} on an item of the first`);
}

const firstOnly = ['first'] as const;

/**
 * Lists the owners whose items the path may name above the item. A server that looks only at those may let
 * the second owner reach the first one's bed by the path of its own garden.
 */
function parentsFor({ markers, own, resource, surroundings }: ResourceClient): readonly Owner[] {
  const hasMarkers = own.of('first').some(({ content }) => markers.of(content) !== undefined);
  const canName = parentNamesOf(resource).length > 0 && surroundings.hasParents('second') && hasMarkers;
  return canName ? ['first', 'second'] : firstOnly;
}

type Attack = (trial: Trial, operation: Operation, item: OwnItem, parents: Owner) => Promise<Untold>;

/** The reason why an attack says nothing about isolation; undefined if it says something. */
type Untold = string | undefined;

/** The second owner has learnt the tag of the item: a request without it could not succeed in any case. */
async function ask(
  client: ResourceClient,
  operation: Operation,
  item: OwnItem,
  parents: Owner,
): Promise<Call> {
  const body = within(client.resource, operation, plainRequest(operation).body);
  const changing = operation === client.resource.modify ? changedBody(client, operation, 'second') : body;
  const filled = filledBody(client, operation, changing, 'second');
  return client.item('second', operation, item.id, documented(operation), {
    path: client.pathTo(item.id, parents),
    headers: await client.conditionsFor('first', operation, item.id),
    ...(body !== undefined && { body: bodyFor(client, operation, filled, item.id) }),
  });
}

async function read(trial: Trial, get: Operation, item: OwnItem, parents: Owner): Promise<Untold> {
  const { client, run } = trial;
  const { first, second } = run.accounts;
  const call = await ask(client, get, item, parents);
  const crossed = second.inTenantOf(first, get);
  if (crossed !== undefined) {
    const plain = plainRequest(get);
    const values = { ...plain, path: { ...plain.path, ...client.pathTo(item.id, parents) } };
    const expected = accepted(get, documented(get));
    const answer = await askAs(run, get, requestFor(get, values, crossed), expected);
    judgeShown(trial, get, item, answer, 'with the tenant of the first one ');
  }
  if (!succeeded(get, call)) return failed(trial, get, call);
  judgeShown(trial, get, item, call);
  return undefined;
}

function judgeShown(trial: Trial, get: Operation, item: OwnItem, call: Call, as = ''): void {
  const { client } = trial;
  if (!succeeded(get, call)) return;
  const marker = client.markers.of(item.content);
  const body = client.reader.shownBy(get, call.outcome);
  const shown = isObject(body) ? client.markers.of(body) : undefined;
  // Each owner may have an item with this id.
  if (marker !== undefined && shown !== marker) return;
  const did = `the second owner ${as}is shown ${show(body)}, which is the first one's ${doubt}`;
  trial.find(get, 'reads', [call], { rule: "another owner's item is shown", did });
}

async function written(trial: Trial, operation: Operation, item: OwnItem, parents: Owner): Promise<Untold> {
  const { client } = trial;
  const { get, list, remove, replace } = client.resource;
  const call = await ask(client, operation, item, parents);
  const untold = succeeded(operation, call) ? undefined : failed(trial, operation, call);
  if (get === undefined && !(list && client.reader.tellsItems)) {
    return untold ?? (succeeded(operation, call) ? 'no operation shows the item afterwards' : undefined);
  }
  const { id, content } = item;
  const after = await settle(client, operation, { owner: 'first', id, content });
  if (after === undefined) {
    // RFC 9110, section 9.3.4: a PUT may have created an item of the second owner's own.
    if (operation === replace && remove && succeeded(operation, call))
      await client.item('second', remove, id);
    return untold;
  }
  if (operation === remove) client.own.remove('first', id, 'deleted');
  else
    client.own.add({
      ...item,
      content: client.reader.contentOf(
        get && client.reader.shownBy(get, (await client.item('first', get, id)).outcome),
      ),
    });
  const what = operation === remove ? 'deleted' : 'changed';
  const did = `the second owner's request was answered ${call.status}: ${after.breach.did} ${doubt}`;
  trial.find(operation, what, [call, ...after.steps], { rule: `another owner's item is ${what}`, did });
  return undefined;
}

/** Does something with an item of the first owner by a path below it. */
async function acted(trial: Trial, operation: Operation, _item: OwnItem, parents: Owner): Promise<Untold> {
  const isWalked = !isSafe(operation) && actionsOn(trial).includes(operation);
  const own = isWalked ? (await walksOn(trial)).get(operation) : await observe(trial, [operation]);
  if (own === undefined || !succeeded(operation, own.call)) return 'it did not succeed for its owner';
  const theirs = await observe(trial, own.steps, { owner: 'second', parents });
  if (theirs === undefined) return 'its item could not be made again';
  const { call, before, after } = theirs;
  const did = `the second owner's request was answered ${call.status}`;
  if (succeeded(operation, call)) {
    trial.find(operation, 'is below it', [call], {
      rule: "another owner's item is reached by a path below it",
      did: `${did} ${doubt}`,
    });
    return undefined;
  }
  // An item may move on by itself: what its owner's own request does to it as well is the action's.
  const isActed = (name: string, look: Look): boolean =>
    isAlike(name, look, own.after) && !isAlike(name, own.before, own.after);
  const changed = before && after && changesBetween(before, after).find((name) => isActed(name, after));
  if (before === undefined || after === undefined || changed === undefined)
    return failed(trial, operation, call);
  trial.find(operation, 'changes', [before.call, call, after.call], {
    rule: "another owner's item is changed",
    did: `${did}, and "${changed}" has changed all the same ${doubt}`,
  });
  return undefined;
}

function isAlike(name: string, one: Look | undefined, other: Look | undefined): boolean {
  const [mine, theirs] = [one, other].map((look) => look?.value[name]);
  return sameValue(mine ?? null, theirs ?? null);
}

/** Creates something below an item of the first owner. */
async function added(trial: Trial, create: Operation): Promise<Untold> {
  const { client } = trial;
  const { own, resource } = client;
  const { get, list, remove } = resource;
  const sent = client.identity.ids?.fresh();
  const content = client.plainContent('of the second owner', 'without', 'second');
  const call = await client.call(
    'second',
    create,
    {
      path: { ...client.surroundings.pathOf('first'), ...client.pathOfNew(sent) },
      body: withId(client.resource, sent, content),
    },
    documented(create),
  );
  if (!succeeded(create, call)) return failed(trial, create, call);
  const id = client.reader.idFrom(call.outcome, sent);
  const marker = client.markers.of(content);
  const lister = list && client.reader.tellsItems ? list : undefined;
  const reader = get ?? lister;
  if (id === undefined || marker === undefined || reader === undefined)
    return 'nothing shows what it created';
  const isList = reader === lister;
  const shown = isList
    ? await readList(client, 'first', reader)
    : await client.item('first', reader, id, successesOrAbsencesOf(reader));
  const isThere = isList
    ? client.reader.itemsOf(shown).some((item) => item.marker === marker)
    : succeeded(reader, shown);
  // If it is anybody's, it is the first owner's now. The end of the run removes it, or says that it is left.
  if (isThere) own.add({ owner: 'first', id, content, created: true });
  else if (remove) await client.item('second', remove, id, documented(remove));
  if (!isThere) return undefined;
  const did = `the second owner's request was answered ${call.status}, and the first owner is shown what it created ${doubt}`;
  trial.find(create, 'creates', [call, shown], {
    rule: "something is created below another owner's item",
    did,
  });
  return undefined;
}

async function listed(trial: Trial, list: Operation, item: OwnItem): Promise<Untold> {
  const { client } = trial;
  if (!client.reader.tellsItems) return 'its items cannot be told apart';
  // Below another resource, it asks at the first one's path.
  const path = client.surroundings.pathOf('first');
  const statuses = documented(list);
  const listFor = (owner: Owner): Promise<Call> =>
    client.paging
      ? followPages(client, owner, list, client.paging, { path, statuses })
      : client.call(owner, list, { path }, statuses);
  // A cache may know a list by its URL only.
  await listFor('first');
  const call = await listFor('second');
  const marker = client.markers.of(item.content);
  const found = client.reader
    .itemsOf(call)
    .find((shown) => (marker === undefined ? shown.id === item.id : shown.marker === marker));
  if (found === undefined) {
    if (!succeeded(list, call)) return failed(trial, list, call);
    return call.isWhole === false ? 'its pages were not followed to the end' : undefined;
  }
  const did = `the second owner is shown ${show(found.value)}, which is the first one's ${doubt}`;
  trial.find(list, 'lists', [call], { rule: "the list shows another owner's item", did });
  return undefined;
}

/**
 * Judges a request of the second owner that did not succeed: it tells something only if its status denies.
 */
function failed(trial: Trial, operation: Operation, call: Call): Untold {
  judgeDenial(trial, operation, call);
  return denials.includes(call.status ?? 0) ? undefined : `it was answered ${call.status ?? 'not at all'}`;
}
