import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { plant } from '../../../kit/database.js';
import { FailedLoadError } from '../../../kit/load.js';
import { newPlantText } from '../../../kit/plants.js';

/** A request that is not answered by then ends the benchmark. */
const timeoutMs = 30_000;

export interface Answer {
  readonly status: number;
  /** The time from the request to the end of its answer. */
  readonly ms: number;
}

interface Waiting {
  resolve(status: number): void;
  reject(error: Error): void;
}

/**
 * A connection that is kept alive, with one request at a time. It costs a client less CPU time than
 * node:http.
 */
export class LoadConnection {
  readonly #socket: Socket;
  #received = '';
  #waiting: Waiting | undefined;
  #end: FailedLoadError | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay().setEncoding('latin1').setTimeout(timeoutMs);
    socket.on('data', (chunk: string) => this.#read(chunk));
    socket.on('timeout', () => this.#fail(`was silent for ${timeoutMs / 1_000} s`));
    socket.on('error', ({ message }) => this.#fail(`broke off: ${message}`));
    socket.on('close', () => this.#fail('was closed'));
  }

  /** @param address the URL of the server */
  static async open(address: string): Promise<LoadConnection> {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    const connection = new LoadConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  async ask(request: string): Promise<Answer> {
    const begin = performance.now();
    const status = await new Promise<number>((resolve, reject) => {
      if (this.#end !== undefined) throw this.#end;
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
    return { status, ms: performance.now() - begin };
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#received += chunk;
    const head = this.#received.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = /\r\ncontent-length: *([0-9]+)/i.exec(this.#received.slice(0, head))?.[1];
    if (length === undefined) {
      this.#fail('got an answer without a Content-Length');
      return;
    }
    if (this.#received.length < head + 4 + Number(length)) return;
    // An answer begins with "HTTP/1.1 200 OK".
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#waiting?.resolve(status);
    this.#waiting = undefined;
  }

  #fail(how: string): void {
    this.#end ??= new FailedLoadError(`A connection ${how}.`);
    this.#waiting?.reject(this.#end);
    this.#waiting = undefined;
    this.#socket.destroy(this.#end);
  }
}

/** Asks on a new connection. The time to connect counts. */
export async function askOnNewConnection(address: string, path: string): Promise<Answer> {
  const { host } = new URL(address);
  const begin = performance.now();
  const connection = await LoadConnection.open(address);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  const { status } = await connection.ask(request).finally(() => connection.close());
  return { status, ms: performance.now() - begin };
}

/** The text of a request that creates a plant. */
export function createRequest(host: string, token: string, id: number): string {
  const body = newPlantText({ id, ...plant });
  const head = `POST /plants HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
