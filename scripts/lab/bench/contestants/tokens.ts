import { createHash } from 'node:crypto';
import type pg from 'pg';

const lifetime = 4_000;

/** Finds the owner of a bearer token, or undefined. Valid tokens are cached for some seconds. */
export function tokenOwners(pool: pg.Pool): (authorization?: string) => Promise<string | undefined> {
  const known = new Map<string, { owner: string; until: number }>();
  return async (authorization) => {
    if (!authorization?.startsWith('Bearer ')) return undefined;
    const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest('hex');
    const session = known.get(hash);
    if (session !== undefined && session.until > Date.now()) return session.owner;
    const { rows } = await pool.query<{ owner: string }>({
      name: 'find-token',
      text: `SELECT owner FROM access_tokens
             WHERE hash = decode($1, 'hex') AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
      values: [hash],
    });
    const owner = rows[0]?.owner;
    if (owner !== undefined) known.set(hash, { owner, until: Date.now() + lifetime });
    return owner;
  };
}
