/**
 * Stores many tokens in a database without the service, for load: `plant-store token issue` makes one, and
 * takes as long as the start of a process. docs/tokens.md says what a token is, and what is stored of it.
 */
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import pg from 'pg';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The numbers of digits that are random, and that hold the checksum. */
const [randomLength, checksumLength] = [30, 6];

/**
 * Stores this many tokens, each of another owner: "owner-0", "owner-1" and so on. The tables must be there.
 *
 * @returns the tokens, in the order of their owners
 */
export async function storeTokens(databaseUrl: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, makeToken);
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest('hex'));
  const client = new pg.Client({ connectionString: databaseUrl });
  // The failure of the statement says what is wrong. An "error" without a listener would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(
      `INSERT INTO access_tokens (owner, hash)
       SELECT 'owner-' || (number - 1), decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
      [hashes],
    );
  } finally {
    await client.end();
  }
  return tokens;
}

function makeToken(): string {
  const random = Array.from({ length: randomLength }, () => digits.charAt(randomInt(digits.length)));
  const text = `plant_${random.join('')}`;
  return text + inDigits(crc32(text));
}

function inDigits(number: number): string {
  const places = Array.from({ length: checksumLength }, (_, place) => digits.length ** place);
  return places
    .map((place) => digits.charAt(Math.floor(number / place) % digits.length))
    .reverse()
    .join('');
}
