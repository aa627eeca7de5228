/** Plays another owner, who creates one plant after the other while an attack is carried out. */
import { Worker } from 'node:worker_threads';

export interface Order {
  readonly id: number;
  /** Where and as whom the owner is to create; undefined if it is to stop. */
  readonly begin?: { readonly port: number; readonly token: string };
}

export interface Creates {
  /** How many creates were answered, without the first one. */
  readonly answered: number;
  /** Their statuses, or why there is none; the first create counts, too. */
  readonly failed: readonly string[];
  readonly longestMs: number;
}

export interface Message {
  readonly id: number;
  /** What came of the creates; undefined in the message after the first create. */
  readonly creates?: Creates;
}

/**
 * The other owners run in a thread of their own, so that the attackers' work is not taken for the server's
 * slowness.
 */
export class OtherOwners {
  // tsx registers itself in a worker only if the worker's own file asks for it.
  readonly #worker = new Worker(
    `import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))})
       .then(({ register }) => { register(); return import(${JSON.stringify(import.meta.resolve('./other-owner-worker.js'))}); });`,
    { eval: true },
  );
  readonly #waiting = new Map<number, (message: Message) => void>();
  #begun = 0;

  constructor() {
    this.#worker.on('message', (message: Message) => this.#waiting.get(message.id)?.(message));
  }

  /**
   * Begins to create, and resolves after the first create.
   *
   * @returns a function that stops, and returns what came of the creates
   */
  async begin(port: number, token: string): Promise<() => Promise<Creates>> {
    const id = this.#begun++;
    await this.#send({ id, begin: { port, token } });
    return async () => {
      const { creates } = await this.#send({ id });
      if (creates === undefined) throw new Error('The other owner told nothing.');
      return creates;
    };
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(order: Order): Promise<Message> {
    return new Promise((resolve) => {
      this.#waiting.set(order.id, resolve);
      this.#worker.postMessage(order);
    });
  }
}
