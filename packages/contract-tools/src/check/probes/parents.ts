/**
 * Tries what is below a parent that nobody has: `/gardens/{garden}/beds` of a garden that does not exist. A create
 * there must make nothing, and a list must show nothing; 403, 404, 422 and an empty list are all right. Whether
 * a create is allowed below a parent of another owner, isolation.ts tries.
 *
 * It also tries members that refer to other items. If a server refuses a reference to what nobody has, but takes
 * one to what belongs to another owner, then it knows the other owner's items.
 */
import type { Operation } from '../../document/operations.js';
import { documented, succeeded, successesOrAbsencesOf } from '../../document/statuses.js';
import { show } from '../../values/json.js';
import { type Id, idsFor } from '../resources/ids.js';
import { makeDoubtful } from '../resources/make-item.js';
import type { Need } from '../resources/surroundings.js';
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

async function tryReference(trial: Trial, create: Operation, { relation, target }: Need): Promise<void> {
  const { client } = trial;
  const theirs = target.anchor('second');
  const nobodys = idsFor(relation.target.parameter.schema)?.fresh();
  if (nobodys === undefined || relation.target === client.resource) return;
  const refersTo = (id: Id): ReturnType<typeof makeDoubtful> => {
    trial.begin(create);
    const content = client.plainContent('that refers', 'without');
    return makeDoubtful(client, 'first', { ...content, [relation.name]: relation.isList ? [id] : id }, {});
  };
  const absent = await refersTo(nobodys);
  if (succeeded(create, absent.call)) {
    if (!trial.isOn('references')) {
      return client.note(
        `${create.id} takes a "${relation.name}" that nobody has, so nothing was tried of those that belong to another owner.`,
      );
    }
    const did = `"${relation.name}" ${show(nobodys)} refers to nothing, and it was answered ${absent.call.status}`;
    const what = 'a reference to nothing';
    return trial.find(create, what, [absent.call], { rule: `${what} is taken`, did, by: 'references' });
  }
  if (theirs === undefined || theirs === target.anchor('first') || !trial.isOn('isolation')) return;
  const other = await refersTo(theirs);
  if (!succeeded(create, other.call)) return;
  const did = `"${relation.name}" ${show(theirs)} is the second owner's, and it was answered ${other.call.status}; ${show(nobodys)}, which nobody has, was answered ${absent.call.status}`;
  const what = "a reference to another owner's item";
  const steps = [absent.call, other.call];
  trial.find(create, what, steps, { rule: `${what} is taken`, did, by: 'isolation' });
}
