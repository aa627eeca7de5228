/** Sends creates whose latencies count one by one, which wrk does not tell. */
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../../contract-tools/base.js';
import { newPlantText } from '../plants.js';
import { plant } from './database.js';

/** A request that is not answered within this time ends the benchmark. */
const timeoutMs = 30_000;
/**
 * The most connections that are opened at the same time: a server's listen queue need not have room for all.
 */
const maxConnecting = 100;

export interface Answer {
  readonly status: number;
  /** The time from the moment when the request was due to the end of its answer. */
  readonly ms: number;
}

/** Connections that take turns. A create that finds none free waits for the next one, and its wait counts. */
export class Creates {
  readonly #url: URL;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  readonly #waiting: ((connection: Connection) => void)[] = [];

  private constructor(url: URL) {
    this.#url = url;
  }

  /**
   * @param address the URL of the server
   * @throws {UnreachableError} if nobody accepts a connection
   */
  static async open(address: string, connections: number): Promise<Creates> {
    const creates = new Creates(new URL(address));
    while (creates.#all.length < connections) {
      const count = Math.min(maxConnecting, connections - creates.#all.length);
      const opening = Array.from({ length: count }, () => Connection.open(creates.#url, timeoutMs));
      creates.#all.push(...(await Promise.all(opening)));
    }
    creates.#free.push(...creates.#all);
    return creates;
  }

  /** @throws {Error} if no whole answer comes in time */
  async send(token: string, id: number): Promise<Answer> {
    const begin = performance.now();
    const connection = this.#free.shift() ?? (await this.#nextFree());
    const { status } = await connection.exchange(
      {
        method: 'POST',
        target: '/plants',
        headers: [
          ['Authorization', `Bearer ${token}`],
          ['Content-Type', 'application/json'],
        ],
        body: Buffer.from(newPlantText({ id, ...plant })),
      },
      this.#url,
    );
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
    return { status, ms: performance.now() - begin };
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #nextFree(): Promise<Connection> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

/**
 * Starts tasks at a steady rate, however many are in flight, and waits for all of them. So slow answers do
 * not lower the rate, as they would with a client that waits for each.
 *
 * @returns what the tasks returned, in the order in which they were started
 * @throws whatever a task has thrown, once all are started
 */
export async function atSteadyRate<Result>(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  task: (number: number) => Promise<Result>,
): Promise<Result[]> {
  const begin = performance.now();
  const total = Math.round(perSecond * seconds);
  const tasks: Promise<Result>[] = [];
  while (tasks.length < total) {
    const due = Math.floor(((performance.now() - begin) * perSecond) / 1_000) + 1;
    while (tasks.length < Math.min(due, total)) {
      const started = task(tasks.length);
      // The failure is thrown below, once all are started.
      started.catch(() => {});
      tasks.push(started);
    }
    await pause(Math.max(1, begin + (tasks.length * 1_000) / perSecond - performance.now()));
  }
  return Promise.all(tasks);
}
