/**
 * Keeps many owners at work all the time. After some hundred requests, the history of an owner is checked,
 * and another owner begins.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Description } from '../../../contract-tools/check.js';
import type { Anomaly } from './anomaly.js';
import { Client, type Reply } from './client.js';
import { checkInTheEnd, type RetiredOwner } from './final-check.js';
import type { Outages } from './outages.js';
import { outcomeOf } from './outcome.js';
import { Owner } from './owner.js';
import type { Subject } from './subject.js';

interface LoadOptions {
  readonly url: URL;
  readonly description: Description;
  readonly seed: number;
  /** A token for each owner that there will be, in their order. */
  readonly tokens: readonly string[];
  readonly outages: Outages;
  /** Whose items the load creates. */
  readonly subject: Subject;
}

/** The numbers of requests so far. */
export interface Counts {
  /** The number of answers with each status. */
  readonly statuses: Map<number, number>;
  /** The number of items that were stored or deleted, and answered so. */
  writes: number;
  lists: number;
  /** The number of requests that got no whole answer. */
  silent: number;
  /** Nothing was done (outcome.ts). */
  refused: number;
  /** Nobody knows whether it was done. */
  unknown: number;
}

const ownersAtOnce = 12;
const clientsOfOwner = 4;
export const clients = ownersAtOnce * clientsOfOwner;
/** The number of requests that each client sends for an owner before the owner's history is checked. */
const stepsOfLife = 400;
/** How long a client that was not served waits before its next request. */
const retryMs = 100;
/**
 * The number of owners whose history was checked, and who are remembered for the check in the end: those of
 * about two million writes.
 */
const maxRetired = 3_000;
/** The statuses that a good request may get, whatever happens. */
const expectedStatuses = new Set([200, 204, 404, 408, 409, 503]);

export class Load {
  readonly #options: LoadOptions;
  readonly #retired: RetiredOwner[] = [];
  readonly #anomalies = new Map<string, Anomaly & { times: number }>();
  readonly counts: Counts = { statuses: new Map(), writes: 0, lists: 0, silent: 0, refused: 0, unknown: 0 };
  #running: Promise<unknown> = Promise.resolve();
  #stopping = false;
  #owners = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = Promise.all(Array.from({ length: ownersAtOnce }, () => this.#live()));
    // The caller that stops the load gets the failure.
    this.#running.catch(() => {});
  }

  /**
   * Stops all clients after their requests in flight, and checks the histories.
   *
   * @throws {Error} if there were too few tokens
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  /** The number of owners so far. */
  get owners(): number {
    return this.#owners;
  }

  /** The anomalies, with the number of equal ones. */
  get anomalies(): readonly (Anomaly & { readonly times: number })[] {
    return [...this.#anomalies.values()];
  }

  /** Lists the items of every owner that is remembered once more. */
  async checkInTheEnd(): Promise<void> {
    await this.#checkRetired(0);
  }

  /** Checks the oldest owners once more, and forgets them, until only `kept` are remembered. */
  async #checkRetired(kept: number): Promise<void> {
    if (this.#retired.length <= kept) return;
    const client = this.#newClient();
    for (const owner of this.#retired.splice(0, this.#retired.length - kept)) {
      for (const anomaly of await checkInTheEnd(client, owner)) this.#find(anomaly);
    }
    client.close();
  }

  #newClient(): Client {
    const { url, description, subject } = this.#options;
    return new Client(url, description, subject);
  }

  #find(anomaly: Anomaly): void {
    const key = anomaly.text;
    const known = this.#anomalies.get(key);
    if (known !== undefined) known.times++;
    else this.#anomalies.set(key, { ...anomaly, times: 1 });
  }

  async #live(): Promise<void> {
    while (!this.#stopping) {
      const number = this.#owners++;
      const token = this.#options.tokens[number];
      if (token === undefined) throw new Error(`There are tokens for ${number} owners only.`);
      const owner = new Owner(number, token, this.#options.seed, this.#options.subject);
      await Promise.all(Array.from({ length: clientsOfOwner }, (_, one) => this.#work(owner, one)));
      const { anomalies, possible } = owner.check();
      for (const anomaly of anomalies) this.#find(anomaly);
      this.#retired.push({ name: owner.name, token: owner.token, possible });
      await this.#checkRetired(maxRetired);
    }
  }

  async #work(owner: Owner, number: number): Promise<void> {
    const client = this.#newClient();
    const chooser = owner.chooser(number);
    for (let step = 0; step < stepsOfLife && !this.#stopping; step++) {
      const reply = await owner.step(client, chooser, (anomaly) => this.#find(anomaly));
      if (!this.#count(reply)) await pause(retryMs);
    }
    client.close();
  }

  /** @returns whether the client was served */
  #count({ method, begin, end, answer, breaches }: Reply): boolean {
    for (const text of breaches) this.#find({ harm: 'outside', text });
    const { counts } = this;
    const outcome = outcomeOf(answer);
    if (answer === undefined) counts.silent++;
    else {
      const { status } = answer;
      counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
      if (!expectedStatuses.has(status))
        this.#find({ harm: 'wrong', text: `a good ${method} is answered ${status}` });
      if (status === 204 || (status === 200 && method === 'POST')) counts.writes++;
      if (status === 200 && method === 'GET') counts.lists++;
    }
    if (outcome === 'done') {
      this.#options.outages.served(begin, end);
      return true;
    }
    counts[outcome]++;
    this.#options.outages.failed(begin);
    return false;
  }
}
