/**
 * Decides which operations may change only what the checker has made. All others are held back: a server that others
 * use has what they need, and no method or path says whose it is. `POST /memos.delete` with `{ "id": 1 }` removes what
 * a colleague has written, and `POST /hints/empty` removes everything.
 *
 * What is safe (RFC 9110, section 9.2.1) is always sent. Of the rest, these are:
 *
 * 1. The operations of a collection. Their requests name an item that the checker has made, or one that nobody has.
 * 2. An operation on an item, or below it, such as `POST /jobs/{job}/invoice`: it gets an item that was made for it.
 *    It is held back if its request also names other items, such as `{ "mergeIntoId": 7 }` in a member with the name of
 *    an id, because nobody knows whose these are. If that member may be left out, the plainest request is sent all the
 *    same where actions are tried (../probes/actions.ts).
 * 3. An operation whose path takes ids of which nobody has one that is chosen at random, such as UUIDs.
 * 4. A POST of which the document shows that it makes something new (`makesNew`).
 *
 * The user sends what is held back by `--send OPERATION`, or by a line in the file of rules.
 */

import { isSafe, type Operation } from '../../document/operations.js';
import { successesOf } from '../../document/statuses.js';
import { answerLayers, listOf } from '../../resources/shape.js';
import { layersOf } from '../../values/layers.js';
import { membersOf } from '../../values/sites.js';
import type { Description } from '../document/description.js';
import { plainRequest } from '../requests/plain-request.js';
import { bulkOf } from './bulk-operations.js';
import type { ResourceClient } from './client.js';
import { nobodysPath, unguessable } from './ids.js';
import { isNameOfId, memberNames, namesOfIds } from './unknown-names.js';

/** @returns the reason; undefined if the operation may be sent */
export function whyHeldBack(
  operation: Operation,
  { operations, rules }: Description,
  clients: readonly ResourceClient[],
): string | undefined {
  if (isSafe(operation) || rules.send?.includes(operation.id)) return undefined;
  if (isOnItem(operation, clients)) {
    const [named] = namesOfIds(operation);
    return named === undefined
      ? undefined
      : `its request names an item by "${named}", and nobody knows whose that is`;
  }
  const isNobodys = Object.keys(nobodysPath(operation, unguessable)).length > 0;
  const isNew = makesNew(operation, operations) || clients.some((client) => bulkOf(client, operation));
  if (isNobodys || (isNew && !operation.path.includes('{'))) return undefined;
  return operation.path.includes('{')
    ? 'it may change what somebody else has: the document does not say how to make, and know again, what it works on'
    : 'it may change what somebody else has: the document does not show that it only makes something new';
}

/** Whether an operation works on an item of a collection, at the path of the item or below it. */
export function isOnItem({ path }: Operation, clients: readonly ResourceClient[]): boolean {
  return clients.some(({ resource: { itemPath } }) => path === itemPath || path.startsWith(`${itemPath}/`));
}

/**
 * Whether the document shows that a POST makes something new: by a 201, by a Location, by a list at the same path to
 * which the body is added, or by an answer that shows what was sent with an id that was not sent.
 */
function makesNew(operation: Operation, operations: readonly Operation[]): boolean {
  const { body, method, path, responses } = operation;
  if (method !== 'POST') return false;
  const hasLocation = successesOf(operation).some((status) =>
    responses.get(status)?.headers.some(({ name }) => name.toLowerCase() === 'location'),
  );
  if (responses.get(201)?.key === '201' || hasLocation) return true;
  if (body === undefined) return false;
  const lists = operations.filter((other) => other.method === 'GET' && listOf(other) !== undefined);
  return lists.some((list) => list.path === path) || answersNewItem(operation, lists);
}

/** Whether the answer is an item of a list, with the members that were sent, and with an id of its own. */
function answersNewItem(operation: Operation, lists: readonly Operation[]): boolean {
  const answer = answerLayers(operation);
  const isListed = lists.some((list) =>
    listOf(list)?.items.some((item) => answer.some(({ key }) => key === item.key)),
  );
  const sent = operation.body === undefined ? [] : membersOf(layersOf(operation.body.schema));
  const shown = new Set(membersOf(answer).map(({ name }) => name));
  return (
    isListed &&
    sent.some(({ name }) => shown.has(name)) &&
    namesOfIds(operation).length === 0 &&
    [...shown].some(isNameOfId)
  );
}

/** Whether the plainest request of an operation names no item but that of its path, although others may name one. */
export function namesNoOther(operation: Operation): boolean {
  const { body, cookies, headers, query } = plainRequest(operation);
  const names = [cookies, headers, query].flatMap((part) => Object.keys(part));
  return ![...names, ...memberNames(body)].some(isNameOfId);
}
