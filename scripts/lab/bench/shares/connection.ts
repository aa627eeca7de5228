import { plant } from '../../../kit/database.js';
import { Connection, type Request } from '../../../kit/http/connection.js';
import { newPlantText } from '../../../kit/plants.js';

/** A request that is not answered by then ends the benchmark. */
const timeoutMs = 30_000;

export interface Answer {
  readonly status: number;
  /** The time from the request to the end of its answer. */
  readonly ms: number;
}

/** A connection that is kept alive, with one request at a time. */
export class LoadConnection {
  readonly #connection: Connection;
  readonly #url: URL;

  private constructor(connection: Connection, url: URL) {
    this.#connection = connection;
    this.#url = url;
  }

  /** @param address the URL of the server */
  static async open(address: string): Promise<LoadConnection> {
    const url = new URL(address);
    return new LoadConnection(await Connection.open(url, timeoutMs), url);
  }

  async ask(request: Request): Promise<Answer> {
    const begin = performance.now();
    const { status } = await this.#connection.exchange(request, this.#url);
    return { status, ms: performance.now() - begin };
  }

  close(): void {
    this.#connection.close();
  }
}

/** Asks on a new connection. The time to connect counts. */
export async function askOnNewConnection(address: string, target: string): Promise<Answer> {
  const begin = performance.now();
  const connection = await LoadConnection.open(address);
  const { status } = await connection
    .ask({ method: 'GET', target, headers: [] })
    .finally(() => connection.close());
  return { status, ms: performance.now() - begin };
}

/** A request that creates a plant. */
export function createRequest(token: string, id: number): Request {
  return {
    method: 'POST',
    target: '/plants',
    headers: [
      ['Authorization', `Bearer ${token}`],
      ['Content-Type', 'application/json'],
    ],
    body: Buffer.from(newPlantText({ id, ...plant })),
  };
}
