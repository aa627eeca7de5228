/**
 * Tries the two answers of a PUT that makes items: 201 says that the item is new, and 200 or 204 that it was there
 * (RFC 9110, section 9.3.4).
 */
import type { Operation } from '../../document/operations.js';
import { succeeded, successesOr } from '../../document/statuses.js';
import type { Call } from '../resources/call.js';
import { makeItem } from '../resources/make-item.js';
import type { Trial } from './trial.js';

const says =
  '201 answers a PUT that has made an item, and 200 or 204 one that has replaced it (RFC 9110, section 9.3.4)';

export async function probePutCreates(trial: Trial, create: Operation): Promise<void> {
  const { client } = trial;
  const find = (steps: readonly Call[], rule: string, did: string): void =>
    trial.find(create, 'twice', steps, { rule, did, says });
  trial.begin(create);
  const content = client.plainContent('put twice');
  const { call: first, id } = await makeItem(client, content);
  if (id === undefined) return;
  if (first.status === 200 || first.status === 204)
    find(
      [first],
      'a new item is answered as one that was there',
      `nobody had ${id}, and the PUT was answered ${first.status}`,
    );
  // A server may refuse to replace an item.
  const second = await client.create('first', id, content, successesOr(create, [405, 409, 412, 428]));
  trial.judge(create, 'twice', second, [first, second]);
  if (succeeded(create, second) && second.status === 201)
    find(
      [first, second],
      'an item that was there is answered as new',
      `the second PUT of ${id} was answered 201`,
    );
}
