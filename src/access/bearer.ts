import bearerAuth, { type FastifyBearerAuthOptions } from '@fastify/bearer-auth';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import { hashToken, isToken } from './token.js';
import type { LiveToken, TokenStore } from './token-store.js';

/** The bearer token of the request is malformed, unknown, expired or revoked. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError';
  /** As in Fastify's own errors: the caller is refused, but another security requirement may admit it. */
  readonly statusCode = 401;
}

/** The owner of plants, and of tokens. */
export type Owner = string;

/**
 * Good tokens are cached for `lifetime` milliseconds, so a revoked one ends within the README's five seconds.
 */
const cache = { lifetime: 4_000, entries: 10_000 };

/** HTTP bearer authentication. The hook sets `request.caller` to the owner of the token, or fails. */
export async function bearerCheck(
  app: FastifyInstance,
  tokens: Pick<TokenStore, 'find'>,
): Promise<onRequestHookHandler> {
  // Keyed by hash, so that no token stays in memory. Requests with the same token share one look-up, and a
  // token that is not found is not cached.
  const owners = new LRUCache<string, Owner>({
    max: cache.entries,
    ttl: cache.lifetime,
    fetchMethod: async (hash, _stale, { options }) => {
      const asked = performance.now();
      const found = await tokens.find(hash);
      options.ttl = lifetimeOf(found, performance.now() - asked);
      return found?.owner;
    },
    // A look-up whose entry was evicted meanwhile still answers.
    ignoreFetchAbort: true,
  });
  const options: FastifyBearerAuthOptions = {
    // The plugin throws, and the error handler answers, instead of a hook of its own.
    addHook: false,
    // The name of a scheme is case-insensitive (RFC 9110, section 11.1).
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug',
    keys: new Set<string>(),
    auth: async (token, request) => {
      const hash = hashToken(token);
      // A cached hash belongs to a token, so its checksum needs no second check.
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

/** @param age milliseconds since the look-up began, because the token may have been revoked right after it */
function lifetimeOf(token: LiveToken | undefined, age: number): number {
  return Math.max(1, Math.min(cache.lifetime, token?.remaining ?? cache.lifetime) - age);
}
