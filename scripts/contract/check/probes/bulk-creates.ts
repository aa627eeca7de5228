/**
 * Tries operations that create many items at once: a POST whose body is a list of what the create of a collection
 * takes, and whose answer says of each item what became of it.
 *
 * Two lists are sent. In the first one, all items are new. If the client chooses the ids, the second one has an id
 * that is taken between two new ones. Then three things must hold:
 *
 * 1. There is an outcome for each item, in the order of the request.
 * 2. An item whose outcome is a success is there, with the content that was sent.
 * 3. An item whose outcome is a failure has changed nothing, and if the answer is a 207 (RFC 4918, section 13), it
 *    does not keep the others from being made.
 */
import type { Operation } from '../../document/operations.js';
import { absencesOf, succeeded, successesOf } from '../../document/statuses.js';
import { answerLayers, listOf } from '../../resources/shape.js';
import { isWrapped } from '../../resources/wrapper.js';
import { typeOf } from '../../values/bounds.js';
import { isArray, isObject, show, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { differs } from '../../values/look-alike.js';
import { membersOf } from '../../values/sites.js';
import { breachOf, type Step } from '../answers/findings.js';
import { bodyOf } from '../requests/reply.js';
import { withId } from '../resources/bodies.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import type { Content } from '../resources/content.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import type { ProbeRun } from './probe-run.js';

const title = 'says of each of many what became of it';

interface Bulk {
  readonly operation: Operation;
  /** The member of the body that has the list; undefined if the body is the list. */
  readonly member: string | undefined;
  /** The member of the answer that has the outcomes; undefined if the answer is their list. */
  readonly outcomes: string | undefined;
}

/** An item of a list that is sent. */
interface Sent {
  readonly id: Id | undefined;
  readonly content: Content;
  /** The content of the item that has the id already. */
  readonly before?: Content;
}

export async function probeBulkCreates(run: ProbeRun, client: ResourceClient): Promise<void> {
  const { identity, rules, surroundings } = client;
  if (!rules.on.has('bulk') || !identity.knowsOwn || surroundings.unreached !== undefined) return;
  for (const operation of run.description.operations) {
    const bulk = bulkOf(client, operation);
    if (bulk === undefined) continue;
    const trial = new BulkTrial(run, client, bulk);
    await trial.tryList([newItem(client), newItem(client)]);
    const taken = await takenItem(client);
    if (taken !== undefined) await trial.tryList([newItem(client), taken, newItem(client)]);
  }
}

/** @returns undefined if the operation does not take a list of what the create takes */
function bulkOf({ resource }: ResourceClient, operation: Operation): Bulk | undefined {
  const { create, wrapper } = resource;
  if (operation.method !== 'POST' || operation.id === create.id || operation.body === undefined)
    return undefined;
  if (operation.path.replace(create.path, '').includes('{')) return undefined;
  const outcomes = listOf(operation);
  // What is in a wrapper has a schema of its own, which nothing here compares.
  if (outcomes === undefined || create.body === undefined) return undefined;
  if (isWrapped(layersOf(create.body.schema), wrapper)) return undefined;
  const layers = layersOf(operation.body.schema);
  const lists = membersOf(layers).filter(({ schemas }) => typeOf(schemas.flatMap(layersOf)) === 'array');
  const list =
    typeOf(layers) === 'array' ? layers : lists.length === 1 ? lists[0]?.schemas.flatMap(layersOf) : [];
  const { key } = create.body.schema;
  const takesItems = list?.some((layer) => layer.at('items')?.facing('request').key === key) ?? false;
  const member = typeOf(layers) === 'array' ? undefined : lists[0]?.name;
  return takesItems ? { operation, member, outcomes: outcomes.member } : undefined;
}

function newItem(client: ResourceClient): Sent {
  const id = client.identity.ids?.fresh();
  const content = client.plainContent('one of a list');
  if (id !== undefined) client.own.add({ owner: 'first', id, content });
  return { id, content };
}

/** @returns undefined if the server chooses the ids, or if it takes an id twice */
async function takenItem(client: ResourceClient): Promise<Sent | undefined> {
  const { create, id: place } = client.resource;
  if (place.in !== 'request' || create.responses.get(409)?.key !== '409') return undefined;
  const before = client.plainContent('that is there');
  const { id } = await makeItem(client, before);
  if (id === undefined) return undefined;
  const again = await client.create('first', id, client.plainContent('again'), [...successesOf(create), 409]);
  client.own.doubt('first', id);
  return again.status === 409 ? { id, content: client.plainContent('in its place'), before } : undefined;
}

class BulkTrial {
  readonly #run: ProbeRun;
  readonly #client: ResourceClient;
  readonly #bulk: Bulk;

  constructor(run: ProbeRun, client: ResourceClient, bulk: Bulk) {
    this.#run = run;
    this.#client = client;
    this.#bulk = bulk;
  }

  async tryList(sent: readonly Sent[]): Promise<void> {
    const client = this.#client;
    const { operation, member, outcomes: place } = this.#bulk;
    this.#run.recorder.case(operation.id, title);
    const items = sent.map(({ id, content }) => withId(client.resource, id, content));
    const refusals = [400, 409, 422].filter((status) => operation.responses.has(status));
    const statuses = [...successesOf(operation), ...refusals];
    const call = await client.call(
      'first',
      operation,
      { body: member === undefined ? items : { [member]: items } },
      statuses,
    );
    this.#run.recorder.find(operation.id, title, 'a list', [call], ...call.breaches);
    const isMixed = sent.some(({ before }) => before !== undefined);
    if (!succeeded(operation, call)) {
      if (isMixed && this.#tellsEach())
        this.#find(
          [call],
          'one item that is refused makes the whole list fail',
          `it was answered ${call.status}`,
        );
      return;
    }
    const body = bodyOf(call.outcome);
    const outcomes = place === undefined ? body : isObject(body) ? body[place] : undefined;
    if (!isArray(outcomes)) return;
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
    for (const [index, outcome] of outcomes.entries()) {
      const item = sent[index];
      if (item !== undefined) await this.#tryOutcome(call, item, outcome, item.id ?? ids[index]);
    }
  }

  /** Compares what the outcome says of an item with what a GET shows. */
  async #tryOutcome(
    call: Call,
    { content, before }: Sent,
    outcome: Value,
    id: Id | undefined,
  ): Promise<void> {
    const client = this.#client;
    const { get } = client.resource;
    const status = statusIn(outcome);
    const isMade = status === undefined || (status >= 200 && status < 300);
    if (id === undefined) return;
    if (before === undefined && isMade)
      client.own.add({ owner: 'first', id, content, created: true, doubtful: true });
    if (get === undefined || (status === undefined && before !== undefined)) return;
    const shown = await client.item('first', get, id, [...successesOf(get), ...absencesOf(get)]);
    const steps = [call, shown];
    const told = `its outcome is ${show(outcome)}`;
    if (absencesOf(get).includes(shown.status ?? 0)) {
      if (isMade)
        this.#find(
          steps,
          'an item that is told as made is not there',
          `${told}, and ${id} is answered ${shown.status}`,
        );
      return;
    }
    if (!succeeded(get, shown)) return;
    if (!isMade && before === undefined)
      return this.#find(
        steps,
        'an item that is told as refused is there',
        `${told}, and ${id} is answered ${shown.status}`,
      );
    const body = client.reader.shownBy(get, shown.outcome);
    const wanted = isMade ? content : (before ?? content);
    const member = client.reader.difference(get, wanted, body);
    const rule = isMade
      ? 'an item that is told as made is not what was sent'
      : 'an item that is told as refused has changed';
    if (member !== undefined) return this.#find(steps, rule, `${told}: ${differs(member, wanted, body)}`);
    if (isMade && before !== undefined)
      this.#find(
        steps,
        'a list replaces an item that a create would not',
        `${told}, and a create with ${id} was answered 409`,
      );
  }

  /** The id that an outcome shows, in itself or in an object such as "item". */
  #idIn(outcome: Value): Id | undefined {
    const near = isObject(outcome) ? Object.values(outcome).filter((part) => isObject(part)) : [];
    return [outcome, ...near]
      .map((part) => this.#client.identity.shownBy(part))
      .find((id) => id !== undefined);
  }

  /** Whether the document has a status for each item, beside that of the whole. */
  #tellsEach(): boolean {
    const { operation } = this.#bulk;
    const items = listOf(operation)?.items ?? answerLayers(operation);
    return (
      operation.responses.get(207)?.key === '207' &&
      membersOf(items).some(({ name }) => statusNames.test(name))
    );
  }

  #find(steps: readonly Step[], rule: string, did: string): void {
    const { operation } = this.#bulk;
    const breach = { ...breachOf(operation, rule, did), by: 'bulk' as const };
    this.#run.recorder.find(operation.id, title, 'a list', steps, breach);
  }
}

const statusNames = /^(?:http_?)?status(?:_?code)?$|^code$/i;

function statusIn(outcome: Value): number | undefined {
  if (!isObject(outcome)) return undefined;
  const value = Object.entries(outcome).find(([name]) => statusNames.test(name))?.[1];
  const status = typeof value === 'bigint' || typeof value === 'string' ? Number(value) : Number.NaN;
  return status >= 100 && status < 600 ? status : undefined;
}
