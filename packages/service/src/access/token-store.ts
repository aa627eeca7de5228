/**
 * The table of the service's own tokens: it has the SHA-256 of each token, its owner, and its end. Requests
 * look tokens up here, unless bearer.ts knows them already. Look-ups of the same moment share a statement.
 */
import { Coalescer } from '../batching/coalescer.js';
import { OverloadError } from '../errors/overloads.js';
import type { Database } from '../postgres/database.js';
import { hashToken, makeToken } from './token.js';

/** What is known of a token. The token itself is stored nowhere. */
export interface TokenRecord {
  readonly id: bigint;
  readonly owner: string;
  readonly createdAt: Date;
  /** Null if the token does not expire. */
  readonly expiresAt: Date | null;
  /** Null if the token is not revoked. */
  readonly revokedAt: Date | null;
}

/** A token that is neither expired nor revoked. */
export interface LiveToken {
  readonly owner: string;
  /** The time until the token expires; null if it does not. */
  readonly remainingMs: number | null;
}

/** How many days expired and revoked tokens stay listed. */
const daysListed = 30;
/** How many tokens one statement reads, revokes or removes. More would hold their locks for longer. */
const maxAtOnce = 1_000;

/**
 * How many tokens may be looked up at the same time. A stranger can make as many well-formed tokens as it
 * likes. So this many of the tokens that nobody knows, and as many of those that were good a moment ago, may be
 * looked up, and the two kinds take turns.
 */
export const maxLookups = 256;

export const tokensTable = 'access_tokens';

/**
 * The table of tokens. PostgreSQL's clock decides which tokens are expired, because those of replicas may
 * differ. Every method throws a RefusedStatementError if the table is missing, except for `hasTable`.
 */
export class TokenStore {
  readonly #database: Database;
  readonly #lookups: Coalescer<string, LiveToken | undefined>;
  readonly #inFlight = { known: 0, unknown: 0 };

  constructor(database: Database) {
    this.#database = database;
    this.#lookups = new Coalescer({
      name: 'token',
      run: (hashes, deadline) => findTokens(database, hashes, deadline),
      timeoutMs: database.timeoutMs,
    });
  }

  /**
   * @returns whether the table exists, which it does not before the first migration
   * @throws {ServiceUnavailableError} if the database is away
   */
  async hasTable(): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `SELECT WHERE to_regclass('${tokensTable}') IS NOT NULL`,
      reads: true,
    });
    return rowCount === 1;
  }

  /**
   * Makes a token, and stores its hash.
   *
   * @param lifetimeMs the time until the token expires; without it, the token does not expire
   * @returns the token, which is not stored
   * @throws {OutcomeUnknownError} if the hash may be stored. Nobody knows its token then, so it does no harm
   * @throws {ServiceUnavailableError} if it is not stored, because the database is away
   */
  async issue(owner: string, lifetimeMs?: number): Promise<string> {
    const token = makeToken();
    await this.#database.query({
      text: `INSERT INTO ${tokensTable} (owner, hash, expires_at)
             VALUES ($1, decode($2, 'hex'), now() + $3 * interval '1 millisecond')`,
      values: [owner, hashToken(token), lifetimeMs ?? null],
    });
    return token;
  }

  /**
   * @param owner if left out, the tokens of all owners
   * @param after the id of the last token of the page before
   * @returns the next 1,000 tokens, by ascending id; fewer if there are not so many
   * @throws {ServiceUnavailableError} if the database is away
   */
  async list(owner?: string, after = 0n): Promise<TokenRecord[]> {
    const [ofOwner, owners] = owner === undefined ? ['', []] : ['AND owner = $3', [owner]];
    const { rows } = await this.#database.query<TokenRecord>({
      text: `SELECT id, owner, created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt"
             FROM ${tokensTable} WHERE id > $1 ${ofOwner} ORDER BY id LIMIT $2`,
      values: [after, maxAtOnce, ...owners],
      reads: true,
    });
    return rows;
  }

  /**
   * Ends a token. One that was revoked before keeps the earlier time.
   *
   * @returns whether there is a token with this id
   * @throws {OutcomeUnknownError} if the token may be revoked
   * @throws {ServiceUnavailableError} if it is not revoked, because the database is away
   */
  async revoke(id: bigint): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `UPDATE ${tokensTable} SET revoked_at = least(revoked_at, now()) WHERE id = $1`,
      values: [id],
    });
    return rowCount === 1;
  }

  /**
   * Ends all tokens of an owner, a thousand at a time. Those that were revoked before keep the earlier time.
   *
   * @returns how many tokens the owner has
   * @throws {ServiceUnavailableError} if some are not revoked, because the database is away
   */
  async revokeAll(owner: string): Promise<number> {
    let revoked = 0;
    for (let page = await this.list(owner); page.length > 0; page = await this.list(owner, page.at(-1)?.id)) {
      await this.#database.query({
        text: `UPDATE ${tokensTable} SET revoked_at = least(revoked_at, now()) WHERE id = ANY ($1)`,
        values: [page.map(({ id }) => id)],
      });
      revoked += page.length;
    }
    return revoked;
  }

  /**
   * Removes up to 1,000 of the tokens that ended 30 days ago or before.
   *
   * @returns how many it removed; 0 if none is left
   * @throws {ServiceUnavailableError} if the database is away
   */
  async removeOld(): Promise<number> {
    // SKIP LOCKED, because another replica may be removing some of them. ARRAY makes PostgreSQL run the inner
    // query once.
    const { rowCount } = await this.#database.query({
      text: `DELETE FROM ${tokensTable} WHERE id = ANY (ARRAY(
               SELECT id FROM ${tokensTable}
               WHERE least(expires_at, revoked_at) < now() - $1 * interval '1 day'
               ORDER BY least(expires_at, revoked_at) LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      values: [daysListed, maxAtOnce],
    });
    return Number(rowCount);
  }

  /**
   * Looks a token up, together with others of the same moment.
   *
   * @param hash the hash of the token, as `hashToken` makes it
   * @param kind whether the token was good a moment ago
   * @param arrivedAt when its request arrived, in milliseconds of performance.now(). If left out, now
   * @returns undefined if the token is unknown, expired or revoked
   * @throws {OverloadError} if too many are being looked up
   * @throws {ServiceUnavailableError} if the database is away, or the token has waited for too long
   */
  async find(
    hash: string,
    kind: 'known' | 'unknown' = 'unknown',
    arrivedAt?: number,
  ): Promise<LiveToken | undefined> {
    if (this.#inFlight[kind] >= maxLookups) {
      throw new OverloadError('tokens', `${maxLookups} tokens are being looked up`);
    }
    this.#inFlight[kind]++;
    try {
      // The known ones count as those of an owner, because owners take turns.
      return await this.#lookups.submit(hash, kind === 'known' ? kind : '', arrivedAt);
    } finally {
      this.#inFlight[kind]--;
    }
  }
}

async function findTokens(
  database: Database,
  hashes: readonly string[],
  deadline: number,
): Promise<(LiveToken | undefined)[]> {
  const { rows } = await database.query<LiveToken & { hash: string }>({
    text: `SELECT encode(hash, 'hex') AS hash, owner,
                  (extract(epoch FROM expires_at - now()) * 1000)::float8 AS "remainingMs"
           FROM ${tokensTable}
           WHERE hash = ANY ($1::bytea[])
             AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    values: [hashes.map((hash) => Buffer.from(hash, 'hex'))],
    reads: true,
    deadline,
  });
  const found = new Map(rows.map(({ hash, ...token }) => [hash, token]));
  return hashes.map((hash) => found.get(hash));
}
