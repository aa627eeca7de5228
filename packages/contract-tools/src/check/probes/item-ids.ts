/**
 * Tries ids that the client chooses: one that is taken already, one that another owner has, and one that differs
 * from another only in upper and lower case.
 */

import type { RuleName } from '../../document/rule-table.js';
import { absencesOf, succeeded, successesOr, successesOrAbsencesOf } from '../../document/statuses.js';
import { show } from '../../values/json.js';
import { differs } from '../../values/look-alike.js';
import { fits } from '../../values/valid-values.js';
import { brief } from '../answers/check-answer.js';
import type { Step } from '../answers/findings.js';
import type { Run } from '../answers/run.js';
import { isSilence } from '../requests/reply.js';
import type { ResourceClient } from '../resources/client.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import type { OwnItem } from '../resources/own-items.js';
import type { ResourceMeaning } from '../resources/resource-meaning.js';

const title = 'knows one item by one id';

export async function probeItemIds(
  run: Run,
  client: ResourceClient,
  { known }: ResourceMeaning,
): Promise<void> {
  const { resource, rules } = client;
  const { id } = await makeItem(client);
  const item = id === undefined ? undefined : client.own.find('first', id);
  if (item === undefined) return;
  if (rules.on.has('taken-ids') && resource.id.in === 'request') await tryTaken(run, client, item);
  if (rules.on.has('owner-ids') && known.length > 1) await tryOtherOwner(run, client, item.id);
  if (rules.on.has('path-case')) await tryOtherCase(run, client, item.id);
}

/** A documented 409 is for a create whose id is taken, and a 201 says that something new was made. */
async function tryTaken(run: Run, client: ResourceClient, { id, content }: OwnItem): Promise<void> {
  const { create, get } = client.resource;
  if (create.responses.get(409)?.key !== '409' || get === undefined) return;
  run.recorder.case(create.id, title);
  const other = client.plainContent('in its place');
  const statuses = successesOr(create, [400, 409, 422]);
  const again = await client.create('first', id, other, statuses);
  run.recorder.find(create.id, title, 'an id that is taken', [again], ...again.breaches);
  const shown = await client.item('first', get, id);
  if (!succeeded(get, shown)) return;
  const body = client.reader.shownBy(get, shown.outcome);
  const member = client.reader.difference(get, content, body);
  if (member !== undefined) client.own.doubt('first', id);
  // A 200 may say that a create replaces.
  const isWrong = again.status === 201 || (member !== undefined && !succeeded(create, again));
  if (!isWrong || isSilence(again.outcome)) return;
  const after = member === undefined ? 'the item stayed as it was' : differs(member, content, body);
  const did = `${show(String(id))} was taken, a create with it was answered ${brief(again.outcome)}, and then: ${after}`;
  find(run, client, [again, shown], 'an id that is taken is created again', did, 'taken-ids');
}

async function tryOtherOwner(run: Run, client: ResourceClient, id: Id): Promise<void> {
  const { create, get, remove } = client.resource;
  if (remove === undefined || client.own.find('second', id) !== undefined) return;
  run.recorder.case(create.id, title);
  const content = client.plainContent('of the second owner', 'without', 'second');
  const statuses = successesOr(create, [403, 409]);
  const call = await client.create('second', id, content, statuses);
  run.recorder.find(create.id, title, 'an id of another owner', [call], ...call.breaches);
  if (succeeded(create, call)) {
    const removed = await client.item('second', remove, id);
    if (!succeeded(remove, removed)) client.own.add({ owner: 'second', id, content, created: true });
    if (get !== undefined && !succeeded(get, await client.item('first', get, id)))
      client.own.doubt('first', id);
    return;
  }
  if (call.status !== 403 && call.status !== 409) return;
  const did = `the first owner has ${show(String(id))}, and a create of the second one was answered ${call.status}`;
  find(run, client, [call], 'an id of another owner is taken', did, 'owner-ids');
}

async function tryOtherCase(run: Run, client: ResourceClient, id: Id): Promise<void> {
  const { get, parameter } = client.resource;
  if (typeof id !== 'string' || get === undefined || absencesOf(get).length === 0) return;
  // RFC 9562, section 4: the digits of a UUID have no case.
  if (parameter.schema.text('format') === 'uuid') return;
  const swapped = id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
  if (swapped === id || !fits([parameter.schema], swapped)) return;
  run.recorder.case(get.id, title);
  const call = await client.item('first', get, swapped, successesOrAbsencesOf(get));
  run.recorder.find(get.id, title, 'an id in other letters', [call], ...call.breaches);
  if (!succeeded(get, call)) return;
  const did = `${show(id)} was created, and ${show(swapped)} is answered ${call.status}`;
  run.recorder.blame(get, title, 'an id in other letters', [call], {
    ...{ rule: 'an item is found under an id in other letters', did },
    by: 'path-case',
  });
}

function find(
  run: Run,
  { resource: { create } }: ResourceClient,
  steps: readonly Step[],
  rule: string,
  did: string,
  by: RuleName,
): void {
  run.recorder.blame(create, title, 'an id that is taken', steps, { rule, did, by });
}
