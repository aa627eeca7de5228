/**
 * Tries what is below a parent that nobody has: `/gardens/{garden}/beds` of a garden that does not exist. A create
 * there must make nothing, and a list must show nothing; 403, 404, 422 and an empty list are all right. Whether
 * a create is allowed below a parent of another owner, isolation.ts tries.
 *
 * It also tries members that refer to other items, in creates and in updates. If a server refuses a reference to what
 * nobody has, but takes one to what belongs to another owner, then it knows the other owner's items.
 */
import type { Operation } from '../../document/operations.js';
import { documented, succeeded, successesOrAbsencesOf } from '../../document/statuses.js';
import { contentLayers } from '../../resources/shape.js';
import { isObject, show } from '../../values/json.js';
import { membersOf } from '../../values/sites.js';
import { plainRequest } from '../requests/plain-request.js';
import { within } from '../resources/bodies.js';
import type { Call } from '../resources/call.js';
import { type Id, idsFor } from '../resources/ids.js';
import { makeDoubtful, makeWhole } from '../resources/make-item.js';
import type { Need } from '../resources/surroundings.js';
import { bodyFor, filledBody } from '../resources/updates.js';
import type { Trial } from './trial.js';

export async function probeParents(trial: Trial, create: Operation): Promise<void> {
  for (const need of trial.client.surroundings.needs) {
    if (need.relation.isParent) await tryAbsentParent(trial, create, need);
  }
}

export async function probeReferences(trial: Trial, create: Operation): Promise<void> {
  for (const need of trial.client.surroundings.needs) {
    if (!need.relation.isParent) await tryReference(trial, create, need);
  }
}

async function tryAbsentParent(trial: Trial, create: Operation, { relation }: Need): Promise<void> {
  const nobodys = idsFor(relation.target.parameter.schema)?.fresh();
  if (nobodys === undefined) return;
  const { client } = trial;
  const { get, list } = client.resource;
  const path = { [relation.name]: String(nobodys) };
  const what = 'a parent that nobody has';
  trial.begin(create);
  const made = await makeDoubtful(client, 'first', client.plainContent('below nobody'), { path });
  if (succeeded(create, made.call) && made.call.status !== 202) {
    const { id } = made;
    const shown =
      id === undefined || get === undefined
        ? undefined
        : await client.item('first', get, id, successesOrAbsencesOf(get), { path });
    const isThere = shown === undefined || (get !== undefined && succeeded(get, shown));
    if (isThere) {
      const did = `${create.id} was answered ${made.call.status} below ${relation.name} ${nobodys}, which nobody has`;
      const steps = [made.call, ...(shown === undefined ? [] : [shown])];
      trial.find(create, what, steps, { rule: `something is made below ${what}`, did });
    }
  }
  if (list === undefined) return;
  trial.begin(list);
  const call = await client.call('first', list, { path }, documented(list));
  const [item] = client.reader.itemsOf(call).filter(({ marker }) => marker !== undefined);
  if (item === undefined) return;
  const did = `below ${relation.name} ${nobodys}, which nobody has, it shows ${show(item.value)}`;
  trial.find(list, what, [call], { rule: `a list below ${what} shows items`, did });
}

/** One operation that takes a reference. */
interface Referring {
  readonly operation: Operation;
  /** @returns undefined if there is no item that could refer */
  refersTo(id: Id): Promise<Call | undefined>;
}

async function tryReference(trial: Trial, create: Operation, need: Need): Promise<void> {
  const { client } = trial;
  const { modify, replace } = client.resource;
  const { name, isList, target } = need.relation;
  const nobodys = idsFor(target.parameter.schema)?.fresh();
  if (nobodys === undefined || target === client.resource) return;
  const members = (id: Id) => ({ [name]: isList ? [id] : id });
  const creating = async (id: Id): Promise<Call> => {
    const content = { ...client.plainContent('that refers', 'without'), ...members(id) };
    return (await makeDoubtful(client, 'first', content, {})).call;
  };
  const changing = (operation: Operation) => async (id: Id) => {
    const item = await makeWhole(client, 'that is to refer');
    if (item === undefined) return undefined;
    client.own.doubt('first', item.id);
    const plain = within(client.resource, operation, plainRequest(operation).body);
    const content = { ...(isObject(plain) && plain), ...members(id) };
    const body = bodyFor(client, operation, filledBody(client, operation, content, 'first', name), item.id);
    return client.item('first', operation, item.id, documented(operation), { body });
  };
  const updates = [modify, replace].flatMap((operation) => {
    const taken = operation === undefined ? [] : membersOf(contentLayers(operation, client.resource));
    return operation !== undefined && taken.some((member) => member.name === name)
      ? [{ operation, refersTo: changing(operation) }]
      : [];
  });
  for (const way of [{ operation: create, refersTo: creating }, ...updates])
    await compareReferences(trial, way, need, nobodys);
}

async function compareReferences(
  trial: Trial,
  { operation, refersTo }: Referring,
  { relation: { name }, target }: Need,
  nobodys: Id,
): Promise<void> {
  const { client } = trial;
  const theirs = target.anchor('second');
  trial.begin(operation);
  const absent = await refersTo(nobodys);
  if (absent === undefined) return;
  if (succeeded(operation, absent)) {
    if (!trial.isOn('references')) {
      return client.note(
        `${operation.id} takes a "${name}" that nobody has, so nothing was tried of those that belong to another owner.`,
      );
    }
    const did = `"${name}" ${show(nobodys)} refers to nothing, and it was answered ${absent.status}`;
    const what = 'a reference to nothing';
    return trial.find(operation, what, [absent], { rule: `${what} is taken`, did, by: 'references' });
  }
  if (theirs === undefined || theirs === target.anchor('first') || !trial.isOn('isolation')) return;
  trial.begin(operation);
  const other = await refersTo(theirs);
  if (other === undefined || !succeeded(operation, other)) return;
  const did = `"${name}" ${show(theirs)} is the second owner's, and it was answered ${other.status}; ${show(nobodys)}, which nobody has, was answered ${absent.status}`;
  const what = "a reference to another owner's item";
  trial.find(operation, what, [absent, other], { rule: `${what} is taken`, did, by: 'isolation' });
}
