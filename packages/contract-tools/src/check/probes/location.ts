/**
 * Follows the `Location` of a create: it leads to what was made (RFC 9110, section 15.3.2), and is a URI reference
 * (section 10.2.2), in which a space is percent-encoded. If the client chooses ids that are texts, some are
 * tried that a path has only percent-encoded, and the item must be found there.
 */

import { headerValues } from '../../base/http/answer.js';
import type { Operation } from '../../document/operations.js';
import { absencesOf, succeeded, successesOrAbsencesOf } from '../../document/statuses.js';
import { show } from '../../values/json.js';
import { fits } from '../../values/valid-values.js';
import { brief } from '../answers/check-answer.js';
import type { Step } from '../answers/findings.js';
import { leadsElsewhere, targetOf } from '../requests/followed.js';
import { isSilence } from '../requests/reply.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import type { Trial } from './trial.js';

const says = 'Location is a URI reference that leads to what was made (RFC 9110, sections 10.2.2 and 15.3.2)';
/** RFC 3986, appendix A: all characters that a URI reference may have. */
const uriReference = /^(?:[!#$&-;=?-Z[\]_a-z~]|%[0-9a-f]{2})*$/i;
/** Characters that a path has only percent-encoded, or that readers of paths confuse. */
const oddCharacters = [' ', '%', '+', 'é', '/', ';'];
const maxOddIds = 3;

export async function probeLocation(trial: Trial, create: Operation): Promise<void> {
  const { client } = trial;
  // The second of two shows a Location that leads to the first.
  for (const _ of [1, 2]) await tryLocation(trial, create, await makeItem(client));
  for (const id of oddIds(client)) {
    const content = client.plainContent('of an odd id');
    client.own.add({ owner: 'first', id, content });
    const call = await client.create('first', id, content);
    if (succeeded(create, call)) {
      client.own.confirm('first', id);
      await tryLocation(trial, create, { call, id });
      await tryOddId(trial, id, call);
    } else client.own.remove('first', id, 'refused');
  }
}

function oddIds({ identity, resource }: ResourceClient): Id[] {
  const { ids } = identity;
  if (ids === undefined) return [];
  return oddCharacters
    .flatMap((character) => {
      const usual = ids.fresh();
      if (typeof usual !== 'string' || usual.length < 4) return [];
      const odd = `${usual.slice(0, -2)}${character}${usual.slice(-1)}`;
      return fits([resource.parameter.schema], odd) ? [odd] : [];
    })
    .slice(0, maxOddIds);
}

async function tryLocation(
  trial: Trial,
  create: Operation,
  { call, id }: { readonly call: Call; readonly id: Id | undefined },
): Promise<void> {
  const { client } = trial;
  const { get } = client.resource;
  if (isSilence(call.outcome) || !succeeded(create, call)) return;
  const [location] = headerValues(call.outcome, 'location');
  if (location === undefined || id === undefined) return;
  trial.begin(create);
  const find = (rule: string, did: string, steps: readonly Step[]): void =>
    trial.find(create, `Location: ${location}`, steps, { rule, did, says });
  if (!uriReference.test(location))
    return find('Location is not a URI reference', `Location is ${show(location)}`, [call]);
  const { url } = client;
  if (get === undefined || leadsElsewhere(url, location)) return;
  const target = targetOf(url, call.request.target, location);
  if (target === undefined) return;
  const statuses = successesOrAbsencesOf(get);
  const there = await client.call('first', get, { path: client.pathTo(id) }, statuses, target);
  const { outcome } = there;
  if (isSilence(outcome)) return;
  if (!succeeded(get, there)) {
    // The item may not be there at all: then it is not the Location that is wrong.
    const item = await client.item('first', get, id, statuses);
    if (!succeeded(get, item)) return;
    return find('Location does not lead to what was made', `${location} is answered ${brief(outcome)}`, [
      call,
      there,
      item,
    ]);
  }
  const shown = client.identity.shownBy(client.reader.shownBy(get, outcome));
  if (shown === undefined || shown === id) return;
  find('Location leads to another item', `${id} was made, and ${location} shows ${shown}`, [call, there]);
}

/** RFC 3986, section 2.1: what is percent-encoded means the character. */
async function tryOddId(location: Trial, id: Id, made: Call): Promise<void> {
  const trial = location.titled('finds an item under any id that the document allows');
  const { client } = trial;
  const { get } = client.resource;
  if (get === undefined) return;
  trial.begin(get);
  const call = await client.item('first', get, id, successesOrAbsencesOf(get));
  if (!absencesOf(get).includes(call.status ?? 0)) return;
  const did = `${show(String(id))} was created, and is answered ${call.status}`;
  trial.find(get, `the id ${show(String(id))}`, [made, call], {
    rule: 'an item that was created is not found under its id',
    did,
  });
}
