/**
 * Sends all requests of a run: limits how many are in flight and how many go in a second, counts them, keeps
 * connections alive, and refuses more once the run is halted.
 *
 * A server that is overloaded answers 503 with a Retry-After. That answers no case, so the exchange
 * waits and sends the request again, five times in a run and at most 2 s each time. When these waits are used
 * up, there are two cases. If the canary, a plain request that changes nothing, is still answered in another
 * way, only this operation is unavailable: its caller gets the 503, and judges it. Otherwise the whole server
 * is, and an UnreachableError ends the run.
 *
 * A 429 says that the check sends more than the server allows, and Retry-After says when it may go on. So all requests
 * wait until then, for up to ten minutes of a run together. A server that allows 200 requests in a second makes a run of
 * 3,000 wait about fifteen times. A request that takes long, such as one in many chunks, may come too late each time,
 * because others use up what the server allows. So its last try is made alone, while the others are held back. If that
 * one is refused and the canary is not, its operation has a limit of its own, and its caller gets the 429. After ten
 * minutes, or if the server asks for more than one at once, a LimitedError ends the run, and names the option by which
 * fewer requests are sent.
 *
 * A connection is used for one request after the other. Bytes that come behind the end of an answer are
 * looked for when the connection is used next, and reported with the request that they followed. A connection
 * that has been idle for a second is closed instead, because a server may close it just when it is used. Some
 * servers close each connection behind their answer without saying so (RFC 9112, section 9.5). If a used
 * connection ends before a byte of the answer has come, the request is sent again on a new one, and no
 * connection is used twice from then on: so a server that drops requests cannot hide behind that for long.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, headerValues } from '../../base/http/answer.js';
import { Connection, UnreachableError } from '../../base/http/connection.js';
import type { Presented } from '../../document/credentials.js';
import { Pace } from './pace.js';
import { isSilence, type Reply, Silence } from './reply.js';
import { type Request, withHeaders, written } from './request.js';
import { Slots } from './slots.js';

/** The run is over: it was interrupted, or has found what it was looking for. */
export class HaltedError extends Error {
  override readonly name = 'HaltedError';
}

/** The server allows fewer requests than a run needs in reasonable time. */
export class LimitedError extends Error {
  override readonly name = 'LimitedError';
}

interface ExchangeOptions {
  readonly url: URL;
  readonly connections: number;
  readonly perSecond?: number | undefined;
  /** Headers that each request has, unless it has one of that name itself. */
  readonly headers?: readonly Presented[] | undefined;
  /** Once it is aborted, requests are refused with a HaltedError. */
  readonly signal: AbortSignal;
  /** Is called with bytes that come after the end of an answer. */
  readonly onSurplus: (request: Request, bytes: number) => void;
  /** Is called with each 429, which no case gets to see if the request is sent again. */
  readonly onLimited?: (request: Request, answer: Answer) => void;
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
/** How long to wait for the end of a 429, at once and in one run, and how often to send one request again. */
const limited = { maxWaitMs: 60_000, maxWaitsMs: 600_000, tries: 5, usualWaitMs: 1_000 };
/** A connection that has been idle for longer is not used again. */
const maxIdleMs = 1_000;

export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #slots: Slots;
  readonly #pace: Pace;
  readonly #idle: Idle[] = [];
  #requests = 0;
  #waits = 0;
  #limitedMs = 0;
  /** When the next request may go after a 429, in milliseconds on the clock of `performance`. */
  #resumesAt = 0;
  /** Whether an operation was seen that has a limit of its own. */
  #hasOwnLimit = false;
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

  /** Whether requests are sent although the run is halted, because they clean up. */
  set isCleaning(isCleaning: boolean) {
    this.#cleaning = isCleaning;
  }

  /**
   * Sends a request when there is a connection for it.
   *
   * @returns the answer, or a Silence if none came that is HTTP
   * @throws {HaltedError} if the run is over
   * @throws {UnreachableError} if nobody accepts connections, or if the server goes on refusing everything
   * @throws {LimitedError} if the server asks for longer waits than a run may take
   */
  async send(request: Request): Promise<Reply> {
    for (let tries = this.#hasOwnLimit ? 1 : limited.tries; ; tries--) {
      const isLast = tries <= 0;
      const send = (): Promise<Reply> => this.#sendNow(request);
      const outcome = await (isLast ? this.#slots.useAll(send) : this.#slots.use(send));
      if (!isSilence(outcome) && outcome.status === 429) {
        this.#options.onLimited?.(request, outcome);
        if (isLast && (await this.#isUp())) {
          this.#hasOwnLimit = true;
          return outcome;
        }
        this.#postpone(outcome);
        continue;
      }
      const wait = waitAskedFor(outcome);
      if (wait === undefined) return outcome;
      if (this.#waits++ < patience.waits) await pause(wait);
      else if (await this.#isUp()) return outcome;
      else throw new UnreachableError('it goes on saying that it cannot answer now');
    }
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

  /** Lets all requests wait as long as a 429 says. */
  #postpone(answer: Answer): void {
    const wait = retryAfterOf(answer) ?? limited.usualWaitMs;
    const now = performance.now();
    // Requests that were in flight are refused together, and wait together.
    const added = Math.max(0, now + wait - Math.max(now, this.#resumesAt));
    if (wait > limited.maxWaitMs || this.#limitedMs + added > limited.maxWaitsMs) {
      const asked =
        wait > limited.maxWaitMs
          ? `${Math.ceil(wait / 1_000)} s at once`
          : `${limited.maxWaitsMs / 1_000} s in all`;
      throw new LimitedError(
        `it answers 429, which asks to wait for more than ${asked}: send fewer requests by --max-requests-per-second, or allow more`,
      );
    }
    this.#limitedMs += added;
    this.#resumesAt = Math.max(this.#resumesAt, now + wait);
  }

  async #resumed(): Promise<void> {
    const { signal } = this.#options;
    for (
      let wait = this.#resumesAt - performance.now();
      wait > 0;
      wait = this.#resumesAt - performance.now()
    ) {
      await pause(wait, undefined, this.#cleaning ? {} : { signal }).catch(() => {
        throw new HaltedError();
      });
    }
  }

  async #sendNow(request: Request): Promise<Reply> {
    await this.#resumed();
    await this.#pace.turn();
    if (this.#options.signal.aborted && !this.#cleaning) throw new HaltedError();
    this.#requests++;
    return this.#sendOnce(request);
  }

  async #isUp(): Promise<boolean> {
    if (this.#canary === undefined) return true;
    const outcome = await this.#sendNow(this.#canary);
    return !isSilence(outcome) && outcome.status !== 503 && outcome.status !== 429;
  }

  /**
   * Whether the credentials of a request, which were good, are refused from now on.
   *
   * @returns false if nothing can tell
   */
  async hasLostCredentials({ credentials = [] }: Request): Promise<boolean> {
    const canary = this.#canary;
    const shown = credentials.map(({ text }) => text).join();
    if (this.#cleaning || shown === '' || shown !== canary?.credentials?.map(({ text }) => text).join())
      return false;
    const outcome = await this.send(canary);
    return !isSilence(outcome) && outcome.status === 401;
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
      const answer = await connection.exchange(this.#written(request), this.#options.url);
      const isKept = answer.reusable && !this.#closesQuietly;
      if (isKept) this.#idle.push({ connection, last: request, since: performance.now() });
      else connection.close();
      return answer;
    } catch (error) {
      connection.close();
      return new Silence(error instanceof Error ? error.message : String(error));
    }
  }

  #written(request: Request): ReturnType<typeof written> {
    return written(withHeaders(request, this.#options.headers ?? []));
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
 * The wait in milliseconds that a 503 asks for. It is undefined if it is too long, or if there is none: then the caller
 * gets the answer, and reports what is wrong with it.
 */
function waitAskedFor(outcome: Reply): number | undefined {
  if (isSilence(outcome) || outcome.status !== 503) return undefined;
  const wait = retryAfterOf(outcome);
  return wait !== undefined && wait <= patience.maxWaitMs ? wait : undefined;
}

/** RFC 9110, section 10.2.3: Retry-After is a number of seconds, or a date. */
function retryAfterOf(answer: Answer): number | undefined {
  const [text = ''] = headerValues(answer, 'retry-after');
  if (/^[0-9]+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
