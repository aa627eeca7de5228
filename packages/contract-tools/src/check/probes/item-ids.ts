/**
 * Tries ids that the client chooses: one that is taken already, one that another owner has, and one that differs
 * from another only in upper and lower case.
 */

import type { Operation } from '../../document/operations.js';
import {
  absencesOf,
  documented,
  succeeded,
  successesOr,
  successesOrAbsencesOf,
} from '../../document/statuses.js';
import { show } from '../../values/json.js';
import { differs } from '../../values/look-alike.js';
import { fits } from '../../values/valid-values.js';
import { brief } from '../answers/check-answer.js';
import { isSilence } from '../requests/reply.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import type { OwnItem } from '../resources/own-items.js';
import type { Trial } from './trial.js';

export async function probeItemIds(trial: Trial, create: Operation): Promise<void> {
  const { client, part } = trial;
  const { id } = await makeItem(client);
  const item = id === undefined ? undefined : client.own.find('first', id);
  if (item === undefined) return;
  if (trial.isOn('taken-ids') && client.resource.id.in === 'request') await tryTaken(trial, create, item);
  if (trial.isOn('owner-ids') && part.known.length > 1) await tryOtherOwner(trial, create, item.id);
  if (trial.isOn('path-case')) await tryOtherCase(trial, item.id);
}

/** A documented 409 is for a create whose id is taken, and a 201 says that something new was made. */
async function tryTaken(trial: Trial, create: Operation, { id, content }: OwnItem): Promise<void> {
  const { client } = trial;
  const { get } = client.resource;
  if (create.responses.get(409)?.key !== '409' || get === undefined) return;
  trial.begin(create);
  const other = client.plainContent('in its place');
  const again = await client.create('first', id, other, documented(create));
  trial.judge(create, 'an id that is taken', again);
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
  trial.find(create, 'an id that is taken', [again, shown], {
    rule: 'an id that is taken is created again',
    did,
    by: 'taken-ids',
  });
}

async function tryOtherOwner(trial: Trial, create: Operation, id: Id): Promise<void> {
  const { client } = trial;
  const { get, remove } = client.resource;
  if (remove === undefined || client.own.find('second', id) !== undefined) return;
  trial.begin(create);
  const content = client.plainContent('of the second owner', 'without', 'second');
  const statuses = successesOr(create, [403, 409]);
  const call = await client.create('second', id, content, statuses);
  trial.judge(create, 'an id of another owner', call);
  if (succeeded(create, call)) {
    const removed = await client.item('second', remove, id);
    if (!succeeded(remove, removed)) client.own.add({ owner: 'second', id, content, created: true });
    if (get !== undefined && !succeeded(get, await client.item('first', get, id)))
      client.own.doubt('first', id);
    return;
  }
  if (call.status !== 403 && call.status !== 409) return;
  const did = `the first owner has ${show(String(id))}, and a create of the second one was answered ${call.status}`;
  trial.find(create, 'an id that is taken', [call], {
    rule: 'an id of another owner is taken',
    did,
    by: 'owner-ids',
  });
}

async function tryOtherCase(trial: Trial, id: Id): Promise<void> {
  const { client } = trial;
  const { get, parameter } = client.resource;
  if (typeof id !== 'string' || get === undefined || absencesOf(get).length === 0) return;
  // RFC 9562, section 4: the digits of a UUID have no case.
  if (parameter.schema.text('format') === 'uuid') return;
  const swapped = id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
  if (swapped === id || !fits([parameter.schema], swapped)) return;
  trial.begin(get);
  const call = await client.item('first', get, swapped, successesOrAbsencesOf(get));
  trial.judge(get, 'an id in other letters', call);
  if (!succeeded(get, call)) return;
  const did = `${show(id)} was created, and ${show(swapped)} is answered ${call.status}`;
  trial.find(get, 'an id in other letters', [call], {
    rule: 'an item is found under an id in other letters',
    did,
    by: 'path-case',
  });
}
