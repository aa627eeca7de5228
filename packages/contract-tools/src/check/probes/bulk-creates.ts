/**
 * Tries operations that create many items at once: a POST whose body is a list of what the create of a collection
 * takes, and whose answer says of each item what became of it.
 *
 * Two lists are sent. In the first one, all items are new. If it is taken, and the client chooses the ids, the second
 * one has an id that is taken between two new ones. Then three things must hold:
 *
 * 1. There is an outcome for each item, in the order of the request.
 * 2. An item whose outcome is a success is there, with the content that was sent.
 * 3. An item whose outcome is a failure has changed nothing, and if the document has a 207 with a status for each
 *    item, the whole list is not refused because of it.
 *
 * An operation that looks at the items without making them, such as `POST /plants/validate`, may answer the ids that were
 * sent, too. So an item that is not there counts only if something else says that it was made.
 */
import type { Operation } from '../../document/operations.js';
import {
  absencesOf,
  isAbsent,
  succeeded,
  successesOf,
  successesOrAbsencesOf,
} from '../../document/statuses.js';
import { isArray, isObject, memberOf, show, type Value } from '../../values/json.js';
import { differs } from '../../values/look-alike.js';
import { fits } from '../../values/valid-values.js';
import type { Step } from '../answers/findings.js';
import { plainRequest } from '../requests/plain-request.js';
import { bodyOf } from '../requests/reply.js';
import { withId } from '../resources/bodies.js';
import { type Bulk, bulkOf, statusIn, tellsEach } from '../resources/bulk-operations.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import type { Content } from '../resources/content.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import { Trial } from './trial.js';

/** An item of a list that is sent. */
interface Sent {
  readonly id: Id | undefined;
  readonly content: Content;
  /** The content of the item that has the id already. */
  readonly before?: Content;
}

/** An outcome, beside what a GET of its item shows. */
interface Look {
  readonly item: Sent;
  readonly outcome: Value;
  readonly id: Id;
  readonly isMade: boolean;
  readonly hasStatus: boolean;
  readonly get: Operation;
  readonly shown: Call;
  readonly isThere: boolean;
}

export async function probeBulkCreates(trial: Trial, create: Operation): Promise<void> {
  const { client, run } = trial;
  for (const operation of run.description.operations) {
    const bulk = bulkOf(client, operation);
    if (bulk === undefined) continue;
    const bulkTrial = new BulkTrial(trial, bulk);
    if (!(await bulkTrial.tryList([newItem(client), newItem(client)]))) continue;
    const taken = await takenItem(trial, create);
    if (taken !== undefined) await bulkTrial.tryList([newItem(client), taken, newItem(client)]);
  }
}

function newItem(client: ResourceClient): Sent {
  const id = client.identity.ids?.fresh();
  const content = client.plainContent('one of a list');
  if (id !== undefined) client.own.add({ owner: 'first', id, content });
  return { id, content };
}

/** @returns undefined if the server chooses the ids, or if it takes an id twice */
async function takenItem(trial: Trial, create: Operation): Promise<Sent | undefined> {
  const { client } = trial;
  if (client.resource.id.in !== 'request' || create.responses.get(409)?.key !== '409') return undefined;
  const before = client.plainContent('that is there');
  const { id } = await makeItem(client, before);
  if (id === undefined) return undefined;
  const again = await client.create('first', id, client.plainContent('again'), [...successesOf(create), 409]);
  client.own.doubt('first', id);
  trial.judge(create, 'an id that is taken', again);
  return again.status === 409 ? { id, content: client.plainContent('in its place'), before } : undefined;
}

class BulkTrial extends Trial {
  readonly #bulk: Bulk;

  constructor(trial: Trial, bulk: Bulk) {
    super(trial);
    this.#bulk = bulk;
  }

  /** @returns whether the list was taken, and the answer has outcomes */
  async tryList(sent: readonly Sent[]): Promise<boolean> {
    const client = this.client;
    const { operation } = this.#bulk;
    const body = this.#bodyOf(sent);
    if (operation.body === undefined || !fits([operation.body.schema], body)) {
      client.note(
        `What ${operation.id} says of each item was not tried, because a list of ${sent.length} items does not fit its schema.`,
      );
      return false;
    }
    this.begin(operation);
    const refusals = [400, 409, 422].filter((status) => operation.responses.has(status));
    // What stands beside the list may refer to something.
    const absences = isArray(body) ? [] : absencesOf(operation);
    const statuses = [...successesOf(operation), ...refusals, ...absences];
    const call = await client.call('first', operation, { body }, statuses);
    this.judge(operation, 'a list', call);
    const isMixed = sent.some(({ before }) => before !== undefined);
    if (!succeeded(operation, call)) {
      // Another failure, such as a 429, is not about the item.
      if (isMixed && refusals.includes(call.status ?? 0) && tellsEach(operation))
        this.#find(
          [call],
          'one item that is refused makes the whole list fail',
          `it was answered ${call.status}`,
        );
      return false;
    }
    const outcomes = this.#outcomesIn(call);
    // If it is empty, it may be a list of failures.
    if (outcomes.length > 0) await this.#tryOutcomes(call, sent, outcomes);
    return outcomes.length > 0;
  }

  #bodyOf(sent: readonly Sent[]): Value {
    const { resource, surroundings } = this.client;
    const { operation, member } = this.#bulk;
    const items = sent.map(({ id, content }) => withId(resource, id, content));
    if (member === undefined) return items;
    const plain = plainRequest(operation).body;
    const beside = isObject(plain) ? surroundings.fill('first', plain, member, []) : {};
    return { ...beside, [member]: items };
  }

  #outcomesIn(call: Call): readonly Value[] {
    const { outcomes: place } = this.#bulk;
    const body = bodyOf(call.outcome);
    const outcomes = place === undefined ? body : memberOf(body, place);
    return isArray(outcomes) ? outcomes : [];
  }

  async #tryOutcomes(call: Call, sent: readonly Sent[], outcomes: readonly Value[]): Promise<void> {
    if (outcomes.length !== sent.length) {
      const did = `${sent.length} items were sent, and the answer has ${outcomes.length} outcomes`;
      return this.#find([call], 'an item has no outcome', did);
    }
    const ids = outcomes.map((outcome) => this.#idIn(outcome));
    const isSorted = sent.every(
      ({ id }, index) => id === undefined || ids[index] === undefined || ids[index] === id,
    );
    if (!isSorted) {
      const did = `the ids were sent as ${show(sent.map(({ id }) => String(id)))}, and are answered as ${show(ids.map(String))}`;
      return this.#find([call], 'the outcomes are in another order than the items', did);
    }
    // A 202 promises nothing yet (RFC 9110, section 15.3.3).
    if (call.status === 202) return;
    const looks: Look[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const item = sent[index];
      const id = item?.id ?? ids[index];
      const look = item === undefined || id === undefined ? undefined : await this.#lookAt(item, outcome, id);
      if (look !== undefined) looks.push(look);
    }
    // An operation that makes nothing, such as a validation, may answer the ids that were sent, too.
    const makesItems =
      call.status === 201 || looks.some(({ item, isThere }) => isThere && item.before === undefined);
    for (const look of looks) {
      const wrong = this.#judge(look, makesItems);
      if (wrong !== undefined) this.#find([call, look.shown], wrong.rule, wrong.did);
    }
  }

  /** @returns undefined if a GET does not tell whether the outcome is true */
  async #lookAt(item: Sent, outcome: Value, id: Id): Promise<Look | undefined> {
    const client = this.client;
    const { get } = client.resource;
    const status = statusIn(outcome);
    const isMade = status === undefined || (status >= 200 && status < 300);
    if (item.before === undefined && isMade)
      client.own.add({ owner: 'first', id, content: item.content, created: true, doubtful: true });
    if (get === undefined || status === 202 || (status === undefined && item.before !== undefined))
      return undefined;
    const shown = await client.item('first', get, id, successesOrAbsencesOf(get));
    const isThere = succeeded(get, shown);
    if (!isThere && !isAbsent(get, shown)) return undefined;
    return { item, outcome, id, isMade, hasStatus: status !== undefined, get, shown, isThere };
  }

  /**
   * Compares what the outcome says of an item with what a GET shows.
   *
   * @returns undefined if they agree
   */
  #judge(
    { item, outcome, id, isMade, hasStatus, get, shown, isThere }: Look,
    makesItems: boolean,
  ): { rule: string; did: string } | undefined {
    const { content, before } = item;
    const { reader } = this.client;
    const told = `its outcome is ${show(outcome)}`;
    const answered = `${told}, and ${id} is answered ${shown.status}`;
    if (!isThere) {
      // Only a server that has made the item can tell an id that it has chosen.
      const isPromised = hasStatus || item.id === undefined || makesItems;
      if (!isMade || !isPromised) return undefined;
      return { rule: 'an item that is told as made is not there', did: answered };
    }
    if (!isMade && before === undefined)
      return { rule: 'an item that is told as refused is there', did: answered };
    const body = reader.shownBy(get, shown.outcome);
    const wanted = isMade ? content : (before ?? content);
    const member = reader.difference(get, wanted, body);
    const rule = isMade
      ? 'an item that is told as made is not what was sent'
      : 'an item that is told as refused has changed';
    if (member !== undefined) return { rule, did: `${told}: ${differs(member, wanted, body)}` };
    if (!isMade || before === undefined) return undefined;
    return {
      rule: 'a list replaces an item that a create would not',
      did: `${told}, and a create with ${id} was answered 409`,
    };
  }

  /** The id that an outcome shows, in itself or in an object such as "item". */
  #idIn(outcome: Value): Id | undefined {
    const near = isObject(outcome) ? Object.values(outcome).filter((part) => isObject(part)) : [];
    return [outcome, ...near]
      .map((part) => this.client.identity.shownBy(part))
      .find((id) => id !== undefined);
  }

  #find(steps: readonly Step[], rule: string, did: string): void {
    this.find(this.#bulk.operation, 'a list', steps, { rule, did });
  }
}
