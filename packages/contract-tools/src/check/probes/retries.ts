/**
 * Tries a create again with its `Idempotency-Key`, as a client does whose connection broke before the answer came.
 *
 * 1. The same key with the same body makes nothing more. A server may refuse the second request.
 * 2. The same key with another body makes nothing: the server refuses it, or answers as it did before. If the document says
 *    that it refuses it, it does.
 * 3. Two owners who happen to have the same key do not meet: the second one gets an item of its own.
 *
 * A create that shows no id of what it made is named and not judged, because nobody knows whether that is the same item.
 */
import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { plainRequest } from '../requests/plain-request.js';
import { freshKeyOf, isKeyOfRetries } from '../requests/request.js';
import type { ResourceClient } from '../resources/client.js';
import type { Content } from '../resources/content.js';
import { readList } from '../resources/follow-pages.js';
import type { Id } from '../resources/ids.js';
import { makeDoubtful } from '../resources/make-item.js';
import type { Owner } from '../resources/own-items.js';
import { doubt } from './denied.js';
import type { Trial } from './trial.js';

/** Any of these may refuse a request that is sent again. */
const refusals = [400, 409, 422, 425];

export async function probeRetries(trial: Trial, create: Operation): Promise<void> {
  const { client } = trial;
  const key = freshKeyOf(create);
  if (key === undefined) return;
  const send = (owner: Owner, content: Content, headers: Readonly<Record<string, string>>) => {
    trial.begin(create);
    return makeDoubtful(client, owner, content, { headers: { ...plainRequest(create).headers, ...headers } });
  };
  const content = client.plainContent('sent twice');
  const first = await send('first', content, key);
  if (first.id === undefined) {
    return trial.say(`not tried, because no answer of ${create.id} told the id of what it made`);
  }
  const again = await send('first', content, key);
  const isMore = isAnother(again.id, first.id);
  if (isMore || (await countOf(client, content)) > 1) {
    const did = `${first.id} was made, and the same request with the same key made ${isMore ? again.id : 'one more, which the list shows'}`;
    return trial.find(create, 'the same request again', [first.call, again.call], {
      rule: 'a request that is sent again makes another item',
      did,
    });
  }
  const other = await send('first', client.plainContent('in its place'), key);
  if (isAnother(other.id, first.id) || (succeeded(create, other.call) && refusesOthers(create))) {
    const did = `${first.id} was made, and another body with the same key was answered ${other.call.status} with ${other.id ?? 'no id'}`;
    trial.find(create, 'the key with another body', [first.call, other.call], {
      rule: 'a key is taken for another body',
      did,
    });
  }
  // Owners who share their items may share their keys, too.
  if (trial.part.known.length < 2 || !trial.isOn('isolation')) return;
  const theirs = await send('second', client.plainContent('of the second owner', 'without', 'second'), key);
  const isMet = succeeded(create, theirs.call) ? theirs.id === first.id : await isTaken();
  if (!isMet) return;
  const did = `the first owner had used the key, and the second one was answered ${theirs.call.status}${theirs.id === undefined ? '' : `, with the first one's item ${theirs.id}`} ${doubt}`;
  trial.find(create, 'the key of another owner', [first.call, theirs.call], {
    rule: 'the key of another owner is taken for the own one',
    did,
  });

  /** Whether the second owner is not refused with a key of its own. */
  async function isTaken(): Promise<boolean> {
    if (!refusals.includes(theirs.call.status ?? 0)) return false;
    const own = await send(
      'second',
      client.plainContent('of the second owner', 'without', 'second'),
      freshKeyOf(create) ?? {},
    );
    return succeeded(create, own.call);
  }
}

/** How many items the list shows of what was sent; 0 if nothing tells. */
async function countOf(client: ResourceClient, content: Content): Promise<number> {
  const { list } = client.resource;
  const marker = client.markers.of(content);
  if (list === undefined || marker === undefined) return 0;
  const items = client.reader.itemsOf(await readList(client, 'first', list));
  return items.filter((item) => item.marker === marker).length;
}

/** Whether the document says that a key is refused with another body. */
function refusesOthers({ node, parameters, responses }: Operation): boolean {
  const others = /\b(?:another|other|different|changed) (?:\w+ )?(?:body|bodies|payload|request|content)\b/i;
  const refuses = /\b(?:refus|reject|conflict|error|fail|4\d\d\b)/i;
  // "Gets the first answer, without an error", or "may be sent if the first request has failed".
  const isDenied = /\b(?:even|if the first|instead|may|never|no error|not|without)\b|n['’]t\b/i;
  const keys = parameters.filter(({ name }) => isKeyOfRetries(name));
  const said = [node.text('description'), ...keys.map(({ description }) => description)].flatMap(sentencesIn);
  const ofRefusals = refusals.flatMap((status) =>
    sentencesIn(responses.get(status)?.node.text('description')),
  );
  return (
    said.some((one) => others.test(one) && refuses.test(one) && !isDenied.test(one)) ||
    ofRefusals.some((one) => others.test(one) && /\bkey\b/i.test(one))
  );
}

function sentencesIn(text = ''): string[] {
  return text.replaceAll(/\s+/g, ' ').split('. ');
}

function isAnother(id: Id | undefined, first: Id): boolean {
  return id !== undefined && id !== first;
}
