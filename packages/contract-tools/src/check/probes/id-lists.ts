/**
 * Tries operations that do something with many items at once, such as `POST /memos/bulk-delete` with a list of ids. They
 * are held back elsewhere, because nobody knows whose an id is. Here, the list has an item of the first owner and one of
 * the second, and both are made for it. The first owner sends it, and the second one looks at its item before and after:
 * the whole list may be refused, or the one item, but that item must stay as it is.
 */
import { isSafe, type Operation } from '../../document/operations.js';
import { absencesOf, isAbsent, succeeded, successesOrAbsencesOf } from '../../document/statuses.js';
import { typeOf } from '../../values/bounds.js';
import { isObject, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import { plainRequest } from '../requests/plain-request.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import { changesBetween, lookAt } from '../resources/shown-item.js';
import { isNameOfId, namesOfIds } from '../resources/unknown-names.js';
import { denials, doubt } from './denied.js';
import type { Trial } from './trial.js';

interface IdList {
  readonly operation: Operation;
  /** The member of the body that has the ids. */
  readonly member: string;
}

/** The operations of a collection whose request names nothing but a list of its ids. */
export function idListsOn({ client: { resource }, run: { description } }: Trial): IdList[] {
  const { collectionPath, parameter } = resource;
  const isIdList = ({ name, schemas }: Member): boolean => {
    const layers = schemas.flatMap(layersOf);
    const items = layers.flatMap((layer) => layer.at('items') ?? []).flatMap(layersOf);
    return (
      isNameOfId(name) && typeOf(layers) === 'array' && typeOf(items) === typeOf(layersOf(parameter.schema))
    );
  };
  return description.operations.flatMap((operation) => {
    const { body, path, secured } = operation;
    const isHere = path === collectionPath || path.startsWith(`${collectionPath}/`);
    if (isSafe(operation) || !secured || body === undefined || body.parts !== undefined || !isHere) return [];
    if (path.slice(collectionPath.length).includes('{')) return [];
    const [member] = membersOf(layersOf(body.schema)).filter(isIdList);
    const plain = plainRequest(operation).body;
    // It would do something to items that no id names.
    const namesMore =
      isObject(plain ?? null) &&
      Object.keys(plain ?? {}).some((name) => /all|filter|query|scope|where/i.test(name));
    const isAlone = new Set(namesOfIds(operation)).size === 1;
    return member === undefined || namesMore || !isAlone ? [] : [{ operation, member: member.name }];
  });
}

export async function probeIdLists(trial: Trial, get: Operation): Promise<void> {
  for (const list of idListsOn(trial)) {
    const why = await tryList(trial, get, list);
    if (why !== undefined) trial.say(`${list.operation.id} tells nothing, because ${why}`);
    else trial.run.recorder.tried(list.operation.id, 'isolation');
    if (trial.run.meaning.heldBack(list.operation) !== undefined)
      trial.say(`nothing else was tried of ${list.operation.id}, which is held back`);
  }
}

/** @returns the reason if it tells nothing of isolation */
async function tryList(
  trial: Trial,
  get: Operation,
  { operation, member }: IdList,
): Promise<string | undefined> {
  const { client } = trial;
  const mine = (await makeItem(client)).id;
  const theirs = (await makeItem(client, undefined, 'second')).id;
  const before = theirs === undefined ? undefined : await lookAt(client, theirs, 'second');
  if (mine === undefined || theirs === undefined || before === undefined)
    return 'an owner could make no item';
  trial.begin(operation);
  client.own.doubt('first', mine);
  const statuses = [...operation.responses.keys()].filter((status) => status < 500);
  const plain = plainRequest(operation).body ?? null;
  const ids: Value = [mine, theirs];
  const body = { ...(isObject(plain) ? plain : {}), [member]: ids };
  if (operation.body === undefined || !fits([operation.body.schema], body)) return 'it takes no two ids';
  const call = await client.call('first', operation, { body }, statuses);
  await noteIfGone(trial, get, mine);
  const shown = await client.item('second', get, theirs, successesOrAbsencesOf(get));
  const isGone = isAbsent(get, shown) && absencesOf(get).length > 0;
  const after = isGone ? undefined : await lookAt(client, theirs, 'second');
  const changed = after === undefined ? undefined : changesBetween(before, after)[0];
  if (isGone) client.own.remove('second', theirs, 'deleted');
  if (isGone || changed !== undefined) {
    const did = isGone ? `its owner is answered ${shown.status} since then` : `"${changed}" has changed`;
    trial.find(operation, 'a list with an item of the second owner', [before.call, call, shown], {
      rule: `another owner's item is ${isGone ? 'deleted' : 'changed'} by a list of ids`,
      did: `the first owner's request was answered ${call.status}, and ${did} ${doubt}`,
    });
    return undefined;
  }
  const isTold = succeeded(operation, call) || denials.includes(call.status ?? 0);
  return isTold ? undefined : `it was answered ${call.status ?? 'not at all'}`;
}

/** The list may have deleted the first owner's item. */
async function noteIfGone({ client }: Trial, get: Operation, id: Id): Promise<void> {
  const call = await client.item('first', get, id, successesOrAbsencesOf(get));
  const item = client.own.find('first', id);
  if (isAbsent(get, call) && item !== undefined) client.own.deleted(item, call.status);
}
