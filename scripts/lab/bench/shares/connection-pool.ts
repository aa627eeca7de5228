import type { Request } from '../../../kit/http/connection.js';
import { type Answer, LoadConnection } from './connection.js';

/** How many connect at the same time. The listen queue of the server need not have room for all. */
const maxConnecting = 100;

/**
 * Connections that take turns. A request that finds none free waits for the next one, and its wait counts.
 */
export class ConnectionPool {
  readonly #all: readonly LoadConnection[];
  readonly #free: LoadConnection[];
  readonly #waiting: ((connection: LoadConnection) => void)[] = [];

  private constructor(all: readonly LoadConnection[]) {
    this.#all = all;
    this.#free = [...all];
  }

  static async open(address: string, count: number): Promise<ConnectionPool> {
    const all: LoadConnection[] = [];
    while (all.length < count) {
      const next = Array.from({ length: Math.min(maxConnecting, count - all.length) }, () =>
        LoadConnection.open(address),
      );
      all.push(...(await Promise.all(next)));
    }
    return new ConnectionPool(all);
  }

  async ask(request: Request): Promise<Answer> {
    const begin = performance.now();
    const connection = this.#free.shift() ?? (await this.#nextFree());
    const { status } = await connection.ask(request);
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
    return { status, ms: performance.now() - begin };
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #nextFree(): Promise<LoadConnection> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
