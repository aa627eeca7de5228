import bearerAuth, { type FastifyBearerAuthOptions } from '@fastify/bearer-auth';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import { InvalidTokenError } from '../errors/tokens.js';
import type { Owner } from '../fairness/owner.js';
import type { JwtOwners } from './jwt-owners.js';
import { hashToken, isJwt, isToken } from './token.js';
import type { LiveToken, TokenStore } from './token-store.js';

/**
 * Milliseconds: a revoked token ends within 5 s (docs/promises.md). A resolution would start a timer per request.
 */
const cache = { lifetime: 4_000, resolution: 0, entries: 10_000 };

interface Callers {
  /** Of an identity provider. */
  readonly jwts?: Pick<JwtOwners, 'find'> | undefined;
  /** Throws if the owner has sent too much. */
  readonly admit?: (owner: Owner) => void;
}

/** The hook sets `request.caller`. */
export async function bearerCheck(
  app: FastifyInstance,
  tokens: Pick<TokenStore, 'find'>,
  { jwts, admit }: Callers = {},
): Promise<onRequestHookHandler> {
  // Keyed by hash, so that no token stays in memory. Unknown tokens are not cached.
  const owners = new LRUCache<string, Owner, string>({
    max: cache.entries,
    ttl: cache.lifetime,
    ttlResolution: cache.resolution,
    fetchMethod: async (hash, _stale, { options, context: token }) => {
      const asked = performance.now();
      const found = await (isToken(token) ? tokens.find(hash) : jwts?.find(token));
      if (found === undefined) throw new InvalidTokenError();
      options.ttl = lifetimeOf(found, performance.now() - asked);
      return found.owner;
    },
    // An evicted look-up still answers, but not with undefined: lru-cache would throw an error of its own.
    ignoreFetchAbort: true,
  });
  const options: FastifyBearerAuthOptions = {
    // The plugin throws instead of answering.
    addHook: false,
    // Schemes are case-insensitive (RFC 9110, section 11.1).
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug',
    keys: new Set<string>(),
    auth: async (token, request) => {
      const hash = hashToken(token);
      let owner = owners.get(hash);
      if (owner === undefined && (isToken(token) || (jwts !== undefined && isJwt(token))))
        owner = await owners.fetch(hash, { context: token });
      if (owner === undefined) throw new InvalidTokenError();
      request.caller = owner;
      admit?.(owner);
      return true;
    },
  };
  // Another scheme may use the plugin.
  let scope = app;
  await app.register(async (own) => {
    scope = own;
    await own.register(bearerAuth, options);
  });
  // With `addHook: false`, the plugin sets it.
  return scope.verifyBearerAuth as onRequestHookHandler;
}

/** @param age in milliseconds */
function lifetimeOf({ remaining }: LiveToken, age: number): number {
  return Math.max(1, Math.min(cache.lifetime, remaining ?? cache.lifetime) - age);
}
