import { hashToken, makeToken } from '../../../src/access/token.js';
import type { Postgres } from './postgres.js';

/** @returns this many tokens, each for another owner: "owner-0", "owner-1" and so on */
export async function storeTokens(postgres: Postgres, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, makeToken);
  await postgres.asAdmin((admin) =>
    admin.query(
      `INSERT INTO access_tokens (owner, hash)
       SELECT 'owner-' || (number - 1), decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
      [tokens.map(hashToken)],
    ),
  );
  return tokens;
}
