/**
 * The keys of the issuer, and how a rotation is noticed.
 *
 * The keys are fetched at the start and every five minutes. After a rotation, the first token with the new
 * key has a `kid` that nobody here knows. But anybody can send such tokens, so the issuer is asked at most
 * once a second. If a token were refused from the keys of the last fetch during that second, strangers who
 * send one unknown `kid` after another would use up every fetch, and good tokens would get 401 for as long as
 * the attack lasts.
 *
 * Therefore an unknown `kid` waits for a fetch that begins after the token came. Everybody who waits shares
 * it. For example, a stranger's token starts a fetch at 0 ms, the issuer rotates at 10 ms, and a good token
 * comes at 20 ms. It waits until 1,000 ms, when the next fetch begins, and that fetch brings its key. From
 * then on the key is known.
 *
 * The cost: a forged token can hold its request for a second and a fetch, and so can a token of a removed
 * key. At most 1,000 requests wait; others get a 503. Tokens with known keys do not wait.
 *
 * jose's `createRemoteJWKSet` refuses some good tokens after a rotation, whatever its options say:
 * docs/ablation.md has the run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalJWKSet, errors, type LocalJWKSet, type ProtectedHeaderParameters } from 'jose';
import { beforeDeadline } from '../errors/late.js';
import { OverloadError } from '../errors/overloads.js';
import { IssuerUnavailableError } from '../errors/tokens.js';
import type { Log } from '../log/log.js';
import type { JwtSettings } from '../settings.js';
import { fetchKeys } from './fetch-keys.js';

interface Limits {
  /** The least time between the beginnings of two fetches. */
  readonly pauseMs: number;
  /** The time between two fetches that nobody asks for. A key that the issuer removed is refused after it. */
  readonly refreshMs: number;
  /** The time for one fetch, the issuer's metadata included. */
  readonly timeoutMs: number;
  /** How long after its arrival a request waits for keys. Two fetches and a pause can take longer. */
  readonly waitMs: number;
  /** How many requests may wait because their key is unknown. */
  readonly maxWaiting: number;
}

const defaultLimits: Limits = {
  pauseMs: 1_000,
  refreshMs: 300_000,
  timeoutMs: 5_000,
  waitMs: 8_000,
  maxWaiting: 1_000,
};

/** The keys of the last fetch that succeeded. They stay in use while the issuer cannot be asked. */
export class IssuerKeys {
  readonly #settings: JwtSettings;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #limits: Limits;
  readonly #refreshing: NodeJS.Timeout;
  #keys: LocalJWKSet | undefined;
  /** Why the last fetch failed; undefined if it succeeded. */
  #failure: unknown;
  /** When the last fetch began, in milliseconds of performance.now(). */
  #fetchedAt = 0;
  /** When the fetch began that brought `#keys`, in milliseconds of performance.now(). */
  #keysAt = Number.NEGATIVE_INFINITY;
  /** The last fetch, which may have ended already. */
  #fetching: Promise<void>;
  /** The fetch that begins after the pause, if somebody waits for it. */
  #nextFetch: Promise<void> | undefined;
  /** How many requests wait for the next fetch. */
  #waiting = 0;

  constructor(settings: JwtSettings, log: Pick<Log, 'info' | 'warn'>, limits: Partial<Limits>) {
    this.#settings = settings;
    this.#log = log;
    this.#limits = { ...defaultLimits, ...limits };
    this.#fetching = this.#fetch();
    this.#refreshing = setInterval(() => this.#fetchAgain(), this.#limits.refreshMs).unref();
  }

  /** Milliseconds since the fetch that brought the keys; infinite as long as none has succeeded. */
  get ageMs(): number {
    return performance.now() - this.#keysAt;
  }

  /** Ends the regular fetches. */
  close(): void {
    clearInterval(this.#refreshing);
  }

  /**
   * Finds the key that has signed a JWT.
   *
   * @param header of the JWT, which names the key by its `kid`
   * @param arrivedAt when the request arrived, in milliseconds of performance.now(). If left out, now
   * @throws {IssuerUnavailableError} if the key is unknown, and the issuer cannot be asked in time
   * @throws {OverloadError} if too many requests wait for unknown keys
   * @throws {errors.JOSEError} if the issuer has no such key, or several of them fit
   */
  async find(
    header: ProtectedHeaderParameters,
    arrivedAt = performance.now(),
  ): Promise<Awaited<ReturnType<LocalJWKSet>>> {
    const deadline = arrivedAt + this.#limits.waitMs;
    if (this.#keys === undefined) await beforeDeadline(this.#fetching, deadline, tooLate);
    try {
      if (this.#keys !== undefined) return await this.#keys(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    await this.#waitForNextFetch(deadline);
    if (this.#keys === undefined || this.#failure !== undefined)
      throw new IssuerUnavailableError(this.#failure);
    return this.#keys(header);
  }

  /**
   * @throws {OverloadError} if too many requests wait
   * @throws {IssuerUnavailableError} if the fetch does not end before the deadline
   */
  async #waitForNextFetch(deadline: number): Promise<void> {
    if (this.#waiting === this.#limits.maxWaiting) {
      throw new OverloadError('JWTs', `${this.#waiting} access tokens wait for the keys of their issuer`);
    }
    this.#waiting++;
    try {
      await beforeDeadline(this.#fetchAgain(), deadline, tooLate);
    } finally {
      this.#waiting--;
    }
  }

  /** Waits for a fetch that begins after this call. Never rejects. */
  #fetchAgain(): Promise<void> {
    this.#nextFetch ??= this.#fetchAfterPause();
    return this.#nextFetch;
  }

  async #fetchAfterPause(): Promise<void> {
    await this.#fetching;
    const remainingMs = this.#fetchedAt + this.#limits.pauseMs - performance.now();
    if (remainingMs > 0) await pause(remainingMs, undefined, { ref: false });
    this.#nextFetch = undefined;
    this.#fetching = this.#fetch();
    await this.#fetching;
  }

  async #fetch(): Promise<void> {
    const beganAt = performance.now();
    this.#fetchedAt = beganAt;
    try {
      this.#keys = createLocalJWKSet(await fetchKeys(this.#settings, this.#limits.timeoutMs));
      this.#keysAt = beganAt;
      if (this.#failure !== undefined) this.#log.info('the issuer of JWTs answers again');
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined)
        this.#log.warn({ err: error }, 'the issuer of JWTs does not answer, and will be asked again');
      this.#failure = error;
    }
  }
}

function tooLate(): IssuerUnavailableError {
  return new IssuerUnavailableError(new Error('no keys in the time of the request'));
}
