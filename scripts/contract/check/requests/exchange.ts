/**
 * Sends all requests of a run: limits how many are in flight and how many go in a second, counts them, keeps
 * connections alive, and refuses more once the run is halted.
 *
 * A server that is overloaded answers 503 or 429 with a Retry-After. That answers no case, so the exchange
 * waits and sends the request again, five times in a run and at most 2 s each time. When these waits are used
 * up, there are two cases. If the canary, a plain request that changes nothing, is still answered in another
 * way, only this operation is unavailable: its caller gets the 503, and judges it. Otherwise the whole server
 * is, and an UnreachableError ends the run.
 *
 * A connection is used for one request after the other. Bytes that come behind the end of an answer are
 * looked for when the connection is used next, and reported with the request that they followed. A connection
 * that has been idle for a second is closed instead, because a server may close it just when it is used. Some
 * servers close each connection behind their answer without saying so (RFC 9112, section 9.5). If a used
 * connection ends before a byte of the answer has come, the request is sent again on a new one, and no
 * connection is used twice from then on: so a server that drops requests cannot hide behind that for long.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { headerValues } from '../../kit/http/answer.js';
import { Connection, UnreachableError } from '../../kit/http/connection.js';
import { Pace } from './pace.js';
import { type Reply, Silence } from './reply.js';
import { type Request, written } from './request.js';
import { Slots } from './slots.js';

/** The run is over: it was interrupted, or has found what it was looking for. */
export class HaltedError extends Error {
  override readonly name = 'HaltedError';
}

interface ExchangeOptions {
  readonly url: URL;
  readonly connections: number;
  readonly perSecond?: number | undefined;
  /** Once it is aborted, requests are refused with a HaltedError. */
  readonly signal: AbortSignal;
  /** Is called with bytes that come after the end of an answer. */
  readonly onSurplus: (request: Request, bytes: number) => void;
}

/** A connection that waits for its next request. */
interface Idle {
  readonly connection: Connection;
  /** The last request: bytes that come after its answer are blamed on it. */
  readonly last: Request;
  readonly since: number;
}

/** How long to wait for a Retry-After, and how often in one run. */
const patience = { maxWaitMs: 2_000, waits: 5 };
/** A connection that has been idle for longer is not used again. */
const maxIdleMs = 1_000;

export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #slots: Slots;
  readonly #pace: Pace;
  readonly #idle: Idle[] = [];
  #requests = 0;
  #waits = 0;
  #canary: Request | undefined;
  #cleaning = false;
  /** Whether the server was seen to close a connection that it had not said to close. */
  #closesQuietly = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#slots = new Slots(options.connections);
    this.#pace = new Pace(options.perSecond);
  }

  get url(): URL {
    return this.#options.url;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Lets requests be sent from now on although the run is halted, because they clean up. */
  startCleaning(): void {
    this.#cleaning = true;
  }

  /**
   * Sends a request when there is a connection for it.
   *
   * @returns the answer, or a Silence if none came that is HTTP
   * @throws {HaltedError} if the run is over
   * @throws {UnreachableError} if nobody accepts connections, or if the server goes on refusing everything
   */
  async send(request: Request): Promise<Reply> {
    return this.#slots.use(async () => {
      for (;;) {
        const outcome = await this.#sendNow(request);
        const wait = waitAskedFor(outcome);
        if (wait === undefined) return outcome;
        if (this.#waits++ < patience.waits) await pause(wait);
        else if (await this.#isUp()) return outcome;
        else throw new UnreachableError('it goes on saying that it cannot answer now');
      }
    });
  }

  /** A request that shows whether the whole server is unavailable, or only one of its operations. */
  set canary(request: Request) {
    this.#canary = request;
  }

  close(): void {
    for (const idle of this.#idle.splice(0)) {
      this.#reportSurplus(idle);
      idle.connection.close();
    }
  }

  async #sendNow(request: Request): Promise<Reply> {
    await this.#pace.turn();
    if (this.#options.signal.aborted && !this.#cleaning) throw new HaltedError();
    this.#requests++;
    return this.#sendOnce(request);
  }

  async #isUp(): Promise<boolean> {
    return this.#canary === undefined || waitAskedFor(await this.#sendNow(this.#canary)) === undefined;
  }

  async #sendOnce(request: Request): Promise<Reply> {
    const used = this.#takeIdle();
    if (used !== undefined) {
      const reply = await this.#sendOn(used, request);
      if (!(reply instanceof Silence && used.endedUnanswered)) return reply;
      this.#closesQuietly = true;
      this.#requests++;
    }
    return this.#sendOn(await Connection.open(this.#options.url), request);
  }

  async #sendOn(connection: Connection, request: Request): Promise<Reply> {
    try {
      const answer = await connection.exchange(written(request), this.#options.url);
      const isKept = answer.reusable && !this.#closesQuietly;
      if (isKept) this.#idle.push({ connection, last: request, since: performance.now() });
      else connection.close();
      return answer;
    } catch (error) {
      connection.close();
      return new Silence(error instanceof Error ? error.message : String(error));
    }
  }

  #reportSurplus({ connection: { surplus }, last }: Idle): void {
    if (surplus > 0) this.#options.onSurplus(last, surplus);
  }

  #takeIdle(): Connection | undefined {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) return undefined;
      const { connection, since } = idle;
      this.#reportSurplus(idle);
      if (connection.open && performance.now() - since < maxIdleMs) return connection;
      connection.close();
    }
  }
}

/**
 * The wait in milliseconds that a 503 or 429 asks for (RFC 9110, section 10.2.3). It is undefined if it is
 * too long, or not a number of seconds: then the caller gets the answer, and reports what is wrong with it.
 */
function waitAskedFor(outcome: Reply): number | undefined {
  if (outcome instanceof Silence || (outcome.status !== 503 && outcome.status !== 429)) return undefined;
  const [text = ''] = headerValues(outcome, 'retry-after');
  const wait = /^[0-9]+$/.test(text) ? Number(text) * 1_000 : Number.POSITIVE_INFINITY;
  return wait <= patience.maxWaitMs ? wait : undefined;
}
