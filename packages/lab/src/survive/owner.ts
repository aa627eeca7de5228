/** Plays one owner: its clients create, repeat, contend, delete and list. Then its history is checked. */

import { Random } from '../../../contract-tools/base.js';
import type { Credential } from '../../../contract-tools/index.js';
import type { Anomaly } from './anomaly.js';
import type { Client, Reply } from './client.js';
import { History } from './history.js';
import { type Item, isSame, itemOf } from './items.js';
import { outcomeOf } from './outcome.js';
import type { RegisterOperation } from './register.js';
import { readItemOf, type Subject } from './subject.js';

/** The number of ids that the clients of one owner use at the same time, so that they contend for them. */
const idsAtOnce = 12;
/**
 * An id with this many operations of unknown outcome is not used any more, because each may still be carried
 * out.
 */
const maxUnknown = 4;
/** The number of a client's last creates, of which some are sent again. */
const maxRemembered = 8;

/** The shares of what a client does. The rest are lists. */
const shares = { create: 0.5, repeat: 0.12, delete: 0.34 };

interface Create {
  readonly place: number;
  readonly version: number;
}

/** A client's choices follow from the seeds only, and not from the service's answers. */
interface Chooser {
  readonly random: Random;
  readonly number: number;
  readonly creates: Create[];
  steps: number;
}

export class Owner {
  readonly name: string;
  readonly token: Credential;
  readonly #history: History;
  readonly #hasNegativeIds: boolean;
  readonly #seeds: readonly number[];
  readonly #ids: bigint[] = [];
  readonly #idRandom: Random;
  readonly #unknown = new Map<bigint, number>();

  constructor(number: number, token: string, seed: number, { hasNegativeIds }: Subject) {
    this.#hasNegativeIds = hasNegativeIds;
    this.name = `owner-${number}`;
    this.token = { text: token, shell: '$TOKEN' };
    this.#history = new History(this.name);
    this.#seeds = [seed, number];
    this.#idRandom = new Random(seed, number);
  }

  /** Makes the choices of one client of this owner. */
  chooser(number: number): Chooser {
    return { random: new Random(...this.#seeds, number + 1), number, creates: [], steps: 0 };
  }

  /**
   * Sends one request, and notes what came of it.
   *
   * @param onAnomaly is told what is wrong with a single answer
   */
  async step(client: Client, chooser: Chooser, onAnomaly: (anomaly: Anomaly) => void): Promise<Reply> {
    const { random, creates } = chooser;
    const kind = random.next();
    const place = Math.max(0, Math.floor(chooser.steps++ / 2) - random.below(idsAtOnce));
    if (kind < shares.create) {
      // No other client uses this version, so that a list says whose plant it saw.
      const create = { place, version: chooser.steps * 16 + chooser.number };
      creates.unshift(create);
      creates.length = Math.min(creates.length, maxRemembered);
      return this.#create(client, create, onAnomaly);
    }
    const earlier = creates[random.below(maxRemembered)];
    if (kind < shares.create + shares.repeat && earlier !== undefined) {
      return this.#create(client, earlier, onAnomaly);
    }
    if (kind < shares.create + shares.repeat + shares.delete) return this.#delete(client, place);
    return this.list(client, random.below(2) === 0 ? undefined : 1 + random.below(40), onAnomaly);
  }

  async list(
    client: Client,
    limit: number | undefined,
    onAnomaly: (anomaly: Anomaly) => void,
  ): Promise<Reply> {
    const reply = await client.list(this.token, limit);
    const items = itemsIn(client.subject, reply);
    if (items !== undefined) {
      this.#history.addList({ begin: reply.begin, end: reply.end, limit, items });
    } else if (reply.answer?.status === 200) {
      onAnomaly({ harm: 'wrong', text: `${this.name}: a list is not a list of items` });
    }
    return reply;
  }

  /** @throws {Error} if more operations on one id were in flight than the check can follow */
  check(): ReturnType<History['check']> {
    return this.#history.check();
  }

  async #create(
    client: Client,
    { place, version }: Create,
    onAnomaly: (anomaly: Anomaly) => void,
  ): Promise<Reply> {
    const id = this.#idAt(place);
    const item = itemOf(this.name, id, version);
    this.#history.expect(id);
    const reply = await client.create(this.token, id, item);
    this.#add(id, 'create', version, reply);
    if (reply.answer?.status === 200 && !answersWith(client.subject, reply, item)) {
      onAnomaly({ harm: 'wrong', text: `${this.name}: a create of ${item.name} answers another item` });
    }
    return reply;
  }

  async #delete(client: Client, place: number): Promise<Reply> {
    const id = this.#idAt(place);
    this.#history.expect(id);
    const reply = await client.delete(this.token, id);
    this.#add(id, 'delete', 0, reply);
    return reply;
  }

  #add(id: bigint, kind: RegisterOperation['kind'], version: number, { begin, end, answer }: Reply): void {
    const outcome = outcomeOf(answer);
    if (outcome === 'refused') return;
    const changed = answer?.status === (kind === 'create' ? 200 : 204);
    const unknown = outcome === 'unknown';
    if (unknown) this.#unknown.set(id, (this.#unknown.get(id) ?? 0) + 1);
    this.#history.add(id, { kind, version, begin, end: unknown ? Number.POSITIVE_INFINITY : end, changed });
  }

  /** Returns the id at a place. An id with too many unknown outcomes is replaced by a new one. */
  #idAt(place: number): bigint {
    for (;;) {
      while (this.#ids.length <= place) this.#ids.push(this.#newId());
      const id = this.#ids[place] ?? 0n;
      if ((this.#unknown.get(id) ?? 0) < maxUnknown) return id;
      this.#ids[place] = this.#newId();
    }
  }

  /**
   * Makes an id: any 64-bit integer that the contract allows, of any length. Without a sign it is odd, and so
   * never 0.
   */
  #newId(): bigint {
    const [high, low] = [this.#idRandom.below(2 ** 32), this.#idRandom.below(2 ** 32)];
    const bits = (BigInt(high) << 32n) | BigInt(low);
    const shift = BigInt(this.#idRandom.below(30));
    return this.#hasNegativeIds ? BigInt.asIntN(64, bits) >> shift : (BigInt.asUintN(63, bits) >> shift) | 1n;
  }
}

/** @returns the items of a list; undefined if the answer is not a whole list of them */
export function itemsIn(subject: Subject, { answer }: Reply): Item[] | undefined {
  if (answer?.status !== 200) return undefined;
  const value = parsed(answer.body);
  if (!Array.isArray(value)) return undefined;
  const items = value.map((one) => readItemOf(subject, one)).filter((item) => item !== undefined);
  return items.length === value.length ? items : undefined;
}

function answersWith(subject: Subject, { answer }: Reply, item: Item): boolean {
  const answered = readItemOf(subject, answer && parsed(answer.body));
  return answered !== undefined && isSame(answered, item);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
