/** Sends ordinary requests over a connection of the contract's check. */
import { Connection } from '../../../contract/check/connection.js';
import type { Request } from '../../../contract/check/request.js';
import { newPlantText } from '../../../kit/plants.js';

export const urlOf = (port: number): URL => new URL(`http://127.0.0.1:${port}/`);

export function get(target: string, token?: string): Request {
  const headers = token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const];
  return { method: 'GET', target, headers };
}

export function create(id: number, token: string): Request {
  const headers = [
    ['Authorization', `Bearer ${token}`],
    ['Content-Type', 'application/json'],
  ] as const;
  return {
    method: 'POST',
    target: '/plants',
    headers,
    body: Buffer.from(newPlantText({ id, name: 'Ficus' })),
  };
}

/** A client that opens another connection if the server has closed its last one. */
export class Client {
  readonly #port: number;
  #connection: Connection | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** @throws {UnreachableError} if it cannot connect */
  async connect(): Promise<void> {
    if (this.#connection?.open === true) return;
    this.close();
    this.#connection = await Connection.open(urlOf(this.#port));
  }

  /**
   * @param host by default the server's address
   * @returns the status
   * @throws {Error} if no whole answer comes
   */
  async ask(request: Request, host = urlOf(this.#port)): Promise<number> {
    await this.connect();
    const connection = this.#connection;
    if (connection === undefined) throw new Error('There is no connection.');
    try {
      const { status, reusable } = await connection.exchange(request, host);
      if (!reusable) this.close();
      return status;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
