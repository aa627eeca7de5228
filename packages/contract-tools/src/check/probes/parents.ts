/**
 * Tries what is below a parent that nobody has: `/gardens/{garden}/beds` of a garden that does not exist. A create
 * there must make nothing, and a list must show nothing; 403, 404, 422 and an empty list are all right. Whether
 * a create is allowed below a parent of another owner, isolation.ts tries.
 *
 * It also tries members that refer to other items. If a server refuses a reference to what nobody has, but takes
 * one to what belongs to another owner, then it knows the other owner's items.
 */
import { succeeded, successesOr, successesOrAbsencesOf } from '../../document/statuses.js';
import { show } from '../../values/json.js';
import type { Run } from '../answers/run.js';
import type { RequestValues } from '../requests/request-values.js';
import { withId } from '../resources/bodies.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import type { Content } from '../resources/content.js';
import { type Id, idsFor } from '../resources/ids.js';
import type { Need } from '../resources/surroundings.js';

const titles = {
  parents: 'makes and shows nothing below a parent that nobody has',
  references: 'refers to nothing that belongs to another owner',
};

/** Any of these may refuse what is below nobody's parent, or refers to what nobody has. */
const refusals = [400, 403, 404, 409, 410, 422];

export async function probeParents(run: Run, client: ResourceClient): Promise<void> {
  const { rules, surroundings } = client;
  if (rules.on.has('parents')) {
    for (const need of surroundings.needs) {
      if (need.relation.isParent) await tryAbsentParent(run, client, need);
    }
  }
  for (const need of surroundings.needs) {
    if (!need.relation.isParent) await tryReference(run, client, need);
  }
}

async function tryAbsentParent(run: Run, client: ResourceClient, { relation }: Need): Promise<void> {
  const nobodys = idsFor(relation.target.parameter.schema)?.fresh();
  if (nobodys === undefined) return;
  const { create, get, list } = client.resource;
  const path = { [relation.name]: String(nobodys) };
  run.recorder.case(create.id, titles.parents);
  const made = await createIn(client, client.plainContent('below nobody'), path);
  if (succeeded(create, made.call) && made.call.status !== 202) {
    const { id } = made;
    const shown =
      id === undefined || get === undefined
        ? undefined
        : await client.item('first', get, id, successesOrAbsencesOf(get), { path });
    const isThere = shown === undefined || (get !== undefined && succeeded(get, shown));
    if (isThere) {
      const did = `${create.id} was answered ${made.call.status} below ${relation.name} ${nobodys}, which nobody has`;
      const rule = 'something is made below a parent that nobody has';
      const steps = [made.call, ...(shown === undefined ? [] : [shown])];
      run.recorder.blame(create, titles.parents, 'a parent that nobody has', steps, {
        rule,
        did,
        by: 'parents',
      });
    }
  }
  if (list === undefined) return;
  run.recorder.case(list.id, titles.parents);
  const call = await client.call('first', list, { path }, successesOr(list, refusals));
  const [item] = client.reader.itemsOf(call).filter(({ marker }) => marker !== undefined);
  if (item === undefined) return;
  const did = `below ${relation.name} ${nobodys}, which nobody has, it shows ${show(item.value)}`;
  const rule = 'a list below a parent that nobody has shows items';
  run.recorder.blame(list, titles.parents, 'a parent that nobody has', [call], { rule, did, by: 'parents' });
}

async function tryReference(run: Run, client: ResourceClient, { relation, target }: Need): Promise<void> {
  const { create } = client.resource;
  const theirs = target.anchor('second');
  const nobodys = idsFor(relation.target.parameter.schema)?.fresh();
  if (nobodys === undefined || relation.target === client.resource) return;
  const refersTo = (id: Id): Promise<{ call: Call; id: Id | undefined }> => {
    run.recorder.case(create.id, titles.references);
    const content = client.plainContent('that refers', 'without');
    return createIn(client, { ...content, [relation.name]: relation.isList ? [id] : id }, {});
  };
  const absent = await refersTo(nobodys);
  if (succeeded(create, absent.call)) {
    if (!client.rules.on.has('references')) {
      return run.recorder.note(
        `${create.id} takes a "${relation.name}" that nobody has, so nothing was tried of those that belong to another owner.`,
      );
    }
    const did = `"${relation.name}" ${show(nobodys)} refers to nothing, and it was answered ${absent.call.status}`;
    const rule = 'a reference to nothing is taken';
    const what = 'a reference to nothing';
    return run.recorder.blame(create, titles.references, what, [absent.call], {
      rule,
      did,
      by: 'references',
    });
  }
  if (theirs === undefined || theirs === target.anchor('first') || !client.rules.on.has('isolation')) return;
  const other = await refersTo(theirs);
  if (!succeeded(create, other.call)) return;
  const did = `"${relation.name}" ${show(theirs)} is the second owner's, and it was answered ${other.call.status}; ${show(nobodys)}, which nobody has, was answered ${absent.call.status}`;
  const what = "a reference to another owner's item";
  const steps = [absent.call, other.call];
  run.recorder.blame(create, titles.references, what, steps, {
    rule: `${what} is taken`,
    did,
    by: 'isolation',
  });
}

/** Creates an item, and remembers it if the server says that it has made one. */
async function createIn(
  client: ResourceClient,
  content: Content,
  path: RequestValues['path'],
): Promise<{ call: Call; id: Id | undefined }> {
  const { create } = client.resource;
  const sent = client.identity.ids?.fresh();
  const body = withId(client.resource, sent, content);
  const statuses = successesOr(create, refusals);
  const named = { ...path, ...client.pathOfNew(sent) };
  const call = await client.call('first', create, { path: named, body }, statuses);
  const id = succeeded(create, call) ? client.reader.idFrom(call.outcome, sent) : undefined;
  // Nobody knows what a server shows of an item below a parent that is not there.
  if (id !== undefined) client.own.add({ owner: 'first', id, content, created: true, doubtful: true });
  return { call, id };
}
