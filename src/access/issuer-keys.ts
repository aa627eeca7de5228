import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import type { Log } from '../log.js';
import { reasonFor } from '../reason.js';
import { type JwtSettings, SettingsError } from '../settings.js';
import { IssuerUnavailableError } from './token-errors.js';

/** Milliseconds. `pause` is between attempts. After `refresh`, a key that the issuer removed is refused. */
const defaultTimes = { pause: 10_000, refresh: 300_000, timeout: 5_000 };

/** The keys of the issuer. The last ones stay in use while it cannot be asked. */
export class IssuerKeys {
  readonly #settings: JwtSettings;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #times: typeof defaultTimes;
  readonly #refreshing: NodeJS.Timeout;
  #keys: LocalJWKSet | undefined;
  #failure: unknown;
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: JwtSettings, log: Pick<Log, 'info' | 'warn'>, times: Partial<typeof defaultTimes>) {
    this.#settings = settings;
    this.#log = log;
    this.#times = { ...defaultTimes, ...times };
    this.#refreshing = setInterval(() => this.#ask(), this.#times.refresh).unref();
    this.#ask();
  }

  close(): void {
    clearInterval(this.#refreshing);
  }

  /**
   * @throws {IssuerUnavailableError}
   * @throws {errors.JOSEError} if the issuer has no such key
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.#keys === undefined) await this.#ask();
    try {
      return await this.#currentKeys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // Perhaps the issuer has rotated its keys.
      await this.#ask();
      if (this.#failure !== undefined) throw new IssuerUnavailableError(this.#failure);
      return this.#currentKeys(header, token);
    }
  };

  get #currentKeys(): LocalJWKSet {
    if (this.#keys === undefined) throw new IssuerUnavailableError(this.#failure);
    return this.#keys;
  }

  /** Asks at most once in `pause`, so that forged tokens cannot flood the issuer. Never rejects. */
  async #ask(): Promise<void> {
    if (this.#asking === undefined && performance.now() - this.#askedAt >= this.#times.pause) {
      this.#asking = this.#askNow();
    }
    await this.#asking;
  }

  async #askNow(): Promise<void> {
    try {
      this.#keys = createLocalJWKSet(await fetchKeys(this.#settings, this.#times.timeout));
      if (this.#failure !== undefined) this.#log.info('the issuer of JWTs answers again');
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined)
        this.#log.warn({ err: error }, 'the issuer of JWTs does not answer, and will be asked again');
      this.#failure = error;
    }
    this.#askedAt = performance.now();
    this.#asking = undefined;
  }
}

/** @throws {SettingsError} if it cannot get them */
export async function fetchKeys(
  { issuer, jwksUrl }: JwtSettings,
  timeoutMs = defaultTimes.timeout,
): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(timeoutMs);
  const url = jwksUrl ?? (await discover(issuer, signal));
  const set = await fetchObject(url, signal);
  if (Array.isArray(set['keys'])) return { keys: set['keys'] };
  throw new SettingsError(`${url} is not a set of keys (RFC 7517): correct JWT_JWKS_URL or JWT_ISSUER.`);
}

/** OpenID Connect Discovery 1.0, section 4. */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: keys } = await fetchObject(url, signal);
  if (named !== issuer) {
    throw new SettingsError(`${url} is of the issuer "${named}": set JWT_ISSUER to exactly that.`);
  }
  if (typeof keys === 'string' && URL.canParse(keys)) return keys;
  throw new SettingsError(`${url} has no jwks_uri: set JWT_JWKS_URL.`);
}

async function fetchObject(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  try {
    const answer = await fetch(url, { signal, redirect: 'manual' });
    if (answer.status !== 200) throw new Error(`the status is ${answer.status}`);
    return Object(await answer.json());
  } catch (error) {
    // fetch hides the reason in the cause.
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new SettingsError(
      `Cannot get the keys of JWT_ISSUER at ${url}: ${reasonFor(reason)}. ` +
        'Correct JWT_ISSUER or JWT_JWKS_URL, or mend the issuer.',
      { cause: error },
    );
  }
}
