/**
 * Tries the two answers of a PUT that makes items: 201 says that the item is new, and 200 or 204 that it was there
 * (RFC 9110, section 9.3.4).
 */
import { succeeded, successesOr } from '../../document/statuses.js';
import type { Run } from '../answers/run.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import { makeItem } from '../resources/make-item.js';

const title = 'says by 201 that an item is new, and only then';

export async function probePutCreates(run: Run, client: ResourceClient): Promise<void> {
  const { create } = client.resource;
  const find = (steps: readonly Call[], rule: string, did: string): void => {
    const says =
      '201 answers a PUT that has made an item, and 200 or 204 one that has replaced it (RFC 9110, section 9.3.4)';
    run.recorder.blame(create, title, 'twice', steps, { rule, did, says });
  };
  run.recorder.case(create.id, title);
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
  run.recorder.find(create.id, title, 'twice', [first, second], ...second.breaches);
  if (succeeded(create, second) && second.status === 201)
    find(
      [first, second],
      'an item that was there is answered as new',
      `the second PUT of ${id} was answered 201`,
    );
}
