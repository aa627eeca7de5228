/**
 * Finds out whether the two tokens belong to two owners: otherwise, findings about isolation would be wrong.
 */

import { isAbsent, succeeded, successesOf, successesOrAbsencesOf } from '../../../document/statuses.js';
import { CannotCheckError } from '../../document/cannot-check.js';
import type { ResourceClient } from '../../resources/client.js';
import { readList } from '../../resources/follow-pages.js';
import type { Owner } from '../../resources/own-items.js';

/**
 * Stores one item as the first owner, and has the second one create, list and delete it. The error comes only
 * if all three operations act as if there were one owner: a server that mixes up owners in one operation only
 * is a finding of the probes.
 *
 * @throws {CannotCheckError} if there is only one owner
 */
export async function tryOwners(client: ResourceClient, owners: readonly Owner[]): Promise<void> {
  const { exactStore, identity, own } = client;
  const id = identity.ids?.fresh();
  if (exactStore === undefined || owners.length < 2 || id === undefined) return;
  const { create, list, remove } = exactStore;
  const [content, other] = [client.plainContent('of one'), client.plainContent('of another')];
  own.add({ owner: 'first', id, content });
  const created = await client.create('first', id, content);
  if (!succeeded(create, created)) return;
  own.add({ owner: 'second', id, content: other });
  const taken = await client.create('second', id, other, [...successesOf(create), 409]);
  const seen = client.reader
    .itemsOf(await readList(client, 'second', list))
    .some(({ marker }) => marker === client.markers.of(content));
  const removed = await client.item('second', remove, id, successesOrAbsencesOf(remove));
  own.remove('second', id, 'deleted');
  const gone = await client.item('first', remove, id, successesOrAbsencesOf(remove));
  own.remove('first', id, 'deleted');
  if (taken.status !== 409 || !seen || !succeeded(remove, removed) || !isAbsent(remove, gone)) return;
  throw new CannotCheckError(
    'The tokens of the two owners reach the same items. Either both belong to one owner: set the second one to a token of another owner, or unset it. Or the server does not keep owners apart: mend the server.',
  );
}
