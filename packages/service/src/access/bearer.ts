/**
 * The check of a bearer token (RFC 6750): a token becomes its owner, before a byte of the body is parsed.
 *
 * Each request has a token. If each were looked up, every request would ask the database once more. If tokens
 * were kept for long, a revoked one would go on working. So an owner is kept for four seconds:
 *
 * 1. The plugin reads the header, and calls `auth`.
 * 2. The hash of the token is looked up in the cache. A token that is not there, and has neither form of
 *    token.ts, is refused without a question.
 * 3. A token of the service's own is looked up in the database (token-store.ts): those that were good in the last
 *    minute have a share of the look-ups of their own. A JWT is verified
 *    (jwt-owners.ts). Requests with the same token share that look-up.
 * 4. The owner is kept for four seconds, or until the token expires. Unknown tokens are not kept.
 * 5. `request.caller` becomes the owner, and `checkRate` may refuse a request that is one too many.
 *
 * For example, a client sends 1,000 requests a second with one token. That is one look-up every four seconds.
 * If the token is revoked, its last request is served at most four seconds later.
 */
import bearerAuth, { type FastifyBearerAuthOptions } from '@fastify/bearer-auth';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import plugin from 'fastify-plugin';
import { LRUCache } from 'lru-cache';
import { InvalidTokenError } from '../errors/tokens.js';
import type { Owner } from '../identity/owner.js';
import type { JwtOwners } from './jwt-owners.js';
import { hashToken, isJwt, isToken } from './token.js';
import type { LiveToken, TokenStore } from './token-store.js';

/**
 * A revoked token must end within 5 s (docs/promises.md), so none is kept for longer than 4 s. A resolution
 * above 0 would make lru-cache start a timer for each request.
 */
const cache = { lifetimeMs: 4_000, resolutionMs: 0, maxEntries: 10_000 };

/**
 * How long it is remembered that a token was good. Such a token is looked up again like any other, but strangers
 * who use up the look-ups of unknown tokens do not shut it out.
 */
const recentMs = 60_000;

/** A token that is looked up, and when the first request with it arrived (performance.now()). */
interface Asked {
  readonly token: string;
  readonly arrivedAt: number;
}

/** What the check needs besides the table of tokens. */
interface Callers {
  /** Verifies the JWTs of an identity provider. Undefined if there is none. */
  readonly jwts?: Pick<JwtOwners, 'find'> | undefined;
  /** Called with the owner of each request. It throws if the owner sends too many in a second. */
  readonly checkRate?: (owner: Owner) => void;
}

/**
 * Makes the check of bearer tokens.
 *
 * @returns a hook that sets `request.caller` to the owner. It throws the plugin's error if the request has no
 * bearer token, an InvalidTokenError if the token is not good, an IssuerUnavailableError, OverloadError or
 * DatabaseUnavailableError if nobody can say that now, and what `checkRate` throws
 */
export async function bearerCheck(
  app: FastifyInstance,
  tokens: Pick<TokenStore, 'find'>,
  { jwts, checkRate }: Callers = {},
): Promise<onRequestHookHandler> {
  const recent = new LRUCache<string, true>({
    max: cache.maxEntries,
    ttl: recentMs,
    ttlResolution: cache.resolutionMs,
  });
  // The keys are hashes, so that no token stays in memory. Unknown tokens are not kept.
  const owners = new LRUCache<string, Owner, Asked>({
    max: cache.maxEntries,
    ttl: cache.lifetimeMs,
    ttlResolution: cache.resolutionMs,
    fetchMethod: async (hash, _stale, { options, context: { token, arrivedAt } }) => {
      const asked = performance.now();
      const found = await (isToken(token)
        ? tokens.find(hash, recent.has(hash) ? 'known' : 'unknown', arrivedAt)
        : jwts?.find(token, arrivedAt));
      if (found === undefined) {
        recent.delete(hash);
        throw new InvalidTokenError();
      }
      recent.set(hash, true);
      options.ttl = lifetimeMsOf(found, performance.now() - asked);
      return found.owner;
    },
    // If the cache drops an entry during its look-up, the look-up goes on. Without this, lru-cache would
    // throw an error of its own.
    ignoreFetchAbort: true,
  });
  const options: FastifyBearerAuthOptions = {
    // The plugin's own hook would answer past the app's error handler.
    addHook: false,
    // The case of the scheme does not matter (RFC 9110, section 11.1).
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug',
    // The type of the options asks for keys. The plugin does not compare with them, because `auth` decides.
    keys: new Set<string>(),
    auth: async (token, request) => {
      const hash = hashToken(token);
      let owner = owners.get(hash);
      if (owner === undefined && (isToken(token) || (jwts !== undefined && isJwt(token))))
        owner = await owners.fetch(hash, { context: { token, arrivedAt: request.arrivedAt } });
      if (owner === undefined) throw new InvalidTokenError();
      request.caller = owner;
      checkRate?.(owner);
      return true;
    },
  };
  // The plugin decorates its scope, so it gets one of its own: another security scheme may use the plugin,
  // too.
  let scope = app;
  await app.register(
    plugin(
      async (own: FastifyInstance) => {
        scope = own;
        await own.register(bearerAuth, options);
      },
      { name: 'bearer-check', encapsulate: true },
    ),
  );
  // The plugin sets this decorator if `addHook` is false.
  return scope.verifyBearerAuth as onRequestHookHandler;
}

/** @param ageMs how long ago the token was looked up; its remaining time has passed since then, too */
function lifetimeMsOf({ remainingMs }: LiveToken, ageMs: number): number {
  return Math.max(1, Math.min(cache.lifetimeMs, remainingMs ?? cache.lifetimeMs) - ageMs);
}
