import bearerAuth, { type FastifyBearerAuthOptions } from '@fastify/bearer-auth';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import { hashToken, isToken } from './token.js';
import type { LiveToken, TokenStore } from './token-store.js';

/** A bearer token came, and it is malformed, unknown, expired or revoked. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError';
  /** As Fastify's own errors say it: the caller is refused, and another alternative of the contract may let it in. */
  readonly statusCode = 401;
}

/** Whose plants a request is about. */
export type Owner = string;

/**
 * Good tokens are remembered for this many milliseconds, and this many of them. A revoked one dies within
 * that time; the README promises five seconds.
 */
const cache = { lifetime: 4_000, entries: 10_000 };

/**
 * The check of HTTP bearer authentication. It runs before the body is read, sets `request.caller` to the
 * owner of the token, or fails.
 */
export async function bearerCheck(
  app: FastifyInstance,
  tokens: Pick<TokenStore, 'find'>,
): Promise<onRequestHookHandler> {
  // Keyed by hash, as in the table, so that no token stays in memory. `fetch` looks up a token once,
  // however many requests wait for it; what it does not find it does not keep.
  const owners = new LRUCache<string, Owner>({
    max: cache.entries,
    ttl: cache.lifetime,
    fetchMethod: async (hash, _stale, { options }) => {
      const asked = performance.now();
      const found = await tokens.find(hash);
      options.ttl = lifetimeOf(found, performance.now() - asked);
      return found?.owner;
    },
    // More look-ups than entries may be under way: one that loses its entry is answered all the same.
    ignoreFetchAbort: true,
  });
  const options: FastifyBearerAuthOptions = {
    // Without a hook of its own, it hands failures to our error handler, and so to the Error schema.
    addHook: false,
    // RFC 9110, section 11.1: the name of a scheme is case-insensitive.
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug',
    keys: new Set<string>(),
    auth: async (token, request) => {
      const hash = hashToken(token);
      // What is remembered was a token: its checksum is not made again.
      const owner = owners.get(hash) ?? (isToken(token) ? await owners.fetch(hash) : undefined);
      if (owner === undefined)
        throw new InvalidTokenError('The access token is malformed, unknown, expired or revoked.');
      request.caller = owner;
      return true;
    },
  };
  // In a scope of its own, so that another scheme can have its check on the same app.
  let scope = app;
  await app.register(async (own) => {
    scope = own;
    await own.register(bearerAuth, options);
  });
  // The plugin decorates the scope with it if it adds no hook; its types leave open whether.
  return scope.verifyBearerAuth as onRequestHookHandler;
}

/** @param age milliseconds since it was asked for: it may have been revoked the moment after it was read */
function lifetimeOf(token: LiveToken | undefined, age: number): number {
  return Math.max(1, Math.min(cache.lifetime, token?.remaining ?? cache.lifetime) - age);
}
