import { type Answer, Connection } from './connection.js';

/** How many connect at the same time, so that a listen queue need not take all. */
const batch = 100;

/**
 * Connections that take turns. A request that finds none free waits for the next one, and that time counts.
 */
export class ConnectionPool {
  readonly #all: readonly Connection[];
  readonly #free: Connection[];
  readonly #waiting: ((connection: Connection) => void)[] = [];

  private constructor(all: readonly Connection[]) {
    this.#all = all;
    this.#free = [...all];
  }

  static async open(address: string, count: number): Promise<ConnectionPool> {
    const all: Connection[] = [];
    while (all.length < count) {
      const next = Array.from({ length: Math.min(batch, count - all.length) }, () =>
        Connection.open(address),
      );
      all.push(...(await Promise.all(next)));
    }
    return new ConnectionPool(all);
  }

  async ask(request: string): Promise<Answer> {
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

  #nextFree(): Promise<Connection> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
