/**
 * An HTTP connection for tests and tools: it sends a request exactly as it is written, valid or not, and
 * reads the answer.
 */
import { connect, isIP, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { type Answer, readAnswer } from './answer.js';
import { ByteSource } from './byte-source.js';

const timeouts = { connectMs: 5_000, closeMs: 500, continueMs: 1_000 };
const usualAnswerMs = 10_000;
/** The largest answer in bytes that is kept in memory. */
const maxBytes = 64 * 1024 * 1024;

/** Nobody accepts connections at the address. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** A request, in which everything is sent as it is written here. */
export interface Request {
  readonly method: string;
  /** Path and query, below the path of the server's URL. */
  readonly target: string;
  /** The path before the target, if it is not that of the server's URL. */
  readonly base?: string | undefined;
  /** All headers but Host and those that frame the body. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | undefined;
  /** If set, the body is sent in chunks that end at these offsets, instead of with a Content-Length. */
  readonly chunks?: readonly number[];
}

interface OutgoingBody {
  send(): void;
  /**
   * Waits until the body is sent.
   *
   * @returns whether it was sent at all
   */
  sent(): Promise<boolean>;
}

/** RFC 6066, section 3: an address is not the name of a server. */
function nameOf(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

/** One connection to the server, for one request at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #source: ByteSource;
  readonly #answerMs: number;
  /** The bytes that had come before the last request. */
  #receivedBefore = 0;
  #isTooLate = false;

  private constructor(socket: Socket, answerMs: number) {
    this.#socket = socket;
    this.#answerMs = answerMs;
    this.#source = new ByteSource(socket, maxBytes);
    socket.setNoDelay(true);
  }

  /**
   * Connects, by TLS if the URL is one of https.
   *
   * @param answerMs how long a whole answer may take
   * @throws {UnreachableError} if nobody accepts the connection within 5 s
   */
  static async open(url: URL, answerMs = usualAnswerMs): Promise<Connection> {
    const secure = url.protocol === 'https:';
    const address = {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(url.port) || (secure ? 443 : 80),
    };
    const socket = secure
      ? connectSecurely({ ...address, ...nameOf(address.host), ALPNProtocols: ['http/1.1'] })
      : connect(address);
    await new Promise<void>((resolve, reject) => {
      const fail = (reason: string): void => {
        socket.destroy();
        reject(new UnreachableError(reason));
      };
      socket.setTimeout(timeouts.connectMs, () =>
        fail(`no connection within ${timeouts.connectMs / 1_000} s`),
      );
      socket.once('error', (error) => fail(error.message));
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        socket.setTimeout(0);
        resolve();
      });
    });
    return new Connection(socket, answerMs);
  }

  /** The number of bytes that have come after the last answer. */
  get surplus(): number {
    return this.#source.waiting;
  }

  /** Whether another request can be sent. */
  get open(): boolean {
    return !this.#source.ended && this.surplus === 0;
  }

  /**
   * Whether the connection ended before a byte of the last answer had come. RFC 9112, section 9.5: a server may
   * close an idle connection at any time, also when the next request is on its way.
   */
  get endedUnanswered(): boolean {
    return this.#source.ended && !this.#isTooLate && this.#source.received === this.#receivedBefore;
  }

  close(): void {
    this.#socket.destroy();
  }

  /**
   * Sends a request, and reads its answer.
   *
   * @param url its host is named by the request, and its path comes before the target
   * @throws {Error} if no complete answer comes; the message says why
   */
  async exchange(request: Request, url: URL): Promise<Answer> {
    this.#receivedBefore = this.#source.received;
    const deadline = setTimeout(() => {
      this.#isTooLate = true;
      this.#socket.destroy(new Error(`no whole answer came within ${this.#answerMs / 1_000} s`));
    }, this.#answerMs);
    try {
      const body = this.#send(request, url);
      const { persistent, ...answer } = await readAnswer(this.#source, request.method, () => body.send());
      // The answer may come before the whole body is sent; the next request must wait for the body.
      const whole = persistent && (await body.sent());
      const faults = [...answer.faults, ...(await this.#bytesAfter(request, persistent))];
      return { ...answer, faults, reusable: whole && faults.length === 0 && this.open };
    } finally {
      clearTimeout(deadline);
    }
  }

  /** @returns the body, which waits if the server must ask for it first */
  #send(request: Request, { host, pathname }: URL): OutgoingBody {
    const { method, target, headers, body, chunks } = request;
    const lines = [
      `${method} ${request.base ?? pathname.replace(/\/$/, '')}${target} HTTP/1.1`,
      `Host: ${host}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      ...(chunks === undefined ? [] : ['Transfer-Encoding: chunked']),
      ...(body !== undefined && chunks === undefined ? [`Content-Length: ${body.length}`] : []),
    ];
    const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    const waits = headers.some(([name, value]) => name === 'Expect' && value === '100-continue');
    if (!waits && chunks === undefined) {
      this.#socket.write(body === undefined ? head : Buffer.concat([head, body]));
      return { send: () => {}, sent: async () => true };
    }
    this.#socket.write(head);
    let sending: Promise<void> | undefined;
    const send = (): void => {
      sending ??= body === undefined ? Promise.resolve() : this.#sendBody(body, chunks);
    };
    // RFC 9110, section 10.1.1: a client does not wait for 100 (Continue) for ever.
    const timer = waits ? setTimeout(send, timeouts.continueMs).unref() : undefined;
    if (!waits) send();
    const sent = async (): Promise<boolean> => {
      clearTimeout(timer);
      await sending;
      return sending !== undefined;
    };
    return { send, sent };
  }

  /**
   * Sends chunks one by one, so that the server receives words and characters in pieces.
   *
   * A server may answer before it has read the body, and close the connection. It then resets the connection
   * at the next bytes that it gets, and a write after that fails at once (EPIPE), whereupon Node.js destroys
   * the socket with the answer unread. So one write is made between two turns of the event loop, in which the
   * answer is read, and none after the server has ended its side.
   */
  async #sendBody(body: Buffer, chunks: readonly number[] | undefined): Promise<void> {
    if (chunks === undefined) {
      this.#socket.write(body);
      return;
    }
    let start = 0;
    for (const end of [...chunks.filter((offset) => offset < body.length), body.length]) {
      if (end > start) {
        await pause(1);
        if (this.#source.ended) return;
        const size = `${(end - start).toString(16)}\r\n`;
        this.#socket.write(
          Buffer.concat([Buffer.from(size), body.subarray(start, end), Buffer.from('\r\n')]),
        );
      }
      start = Math.max(start, end);
    }
    await pause(1);
    if (!this.#source.ended) this.#socket.write('0\r\n\r\n');
  }

  /**
   * Lists bytes that follow the answer. If it ends the connection, they may come until then; else they are
   * there.
   */
  async #bytesAfter({ method }: Request, persistent: boolean): Promise<string[]> {
    if (!persistent) {
      const gone = setTimeout(() => this.#socket.destroy(), timeouts.closeMs);
      await this.#source.ending();
      clearTimeout(gone);
    }
    const bytes = this.surplus;
    if (bytes === 0) return [];
    return [
      `${bytes} bytes follow ${method === 'HEAD' ? 'the header' : 'the end'} of the answer (RFC 9112, section 6.3)`,
    ];
  }
}
