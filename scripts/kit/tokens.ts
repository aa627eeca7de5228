/** Stores many tokens in a database without the service, for load. */
import pg from 'pg';
import { hashToken, makeToken } from '../../src/access/token.js';

/**
 * Stores this many tokens, each of another owner: "owner-0", "owner-1" and so on. The tables must be there.
 *
 * @returns the tokens, in the order of their owners
 */
export async function storeTokens(databaseUrl: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, makeToken);
  const client = new pg.Client({ connectionString: databaseUrl });
  // The failure of the statement says what is wrong. An "error" without a listener would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(
      `INSERT INTO access_tokens (owner, hash)
       SELECT 'owner-' || (number - 1), decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
      [tokens.map(hashToken)],
    );
  } finally {
    await client.end();
  }
  return tokens;
}
