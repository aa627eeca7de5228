import type pg from 'pg';
import { hashToken } from '../../src/access/token.js';
import { migrationFolders } from '../../src/parts.js';
import { migrate } from '../../src/postgres/migrations.js';
import { scattering } from './load.js';
import type { Postgres } from './postgres.js';

/** Every plant of the benchmarks is this one. */
export const plant = { name: 'Monstera deliciosa', tag: 'climber' };

/** A database of the service, which a contestant has to itself, so that no table grows by another's work. */
export class BenchDatabase {
  readonly url: string;
  readonly #client: pg.Client;

  private constructor(url: string, client: pg.Client) {
    this.url = url;
    this.#client = client;
  }

  /** With these tokens; the owner of the first is called 0, of the next 1, and so on. */
  static async create(postgres: Postgres, tokens: readonly string[]): Promise<BenchDatabase> {
    const { url, client } = await postgres.create();
    // For this connection only, which stores what is there before the clock runs: the index is made in one go.
    await client.query("SET maintenance_work_mem = '512MB'");
    await migrate(url, migrationFolders);
    await client.query(
      `INSERT INTO access_tokens (owner, hash)
       SELECT (number - 1)::text, decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
      [tokens.map(hashToken)],
    );
    return new BenchDatabase(url, client);
  }

  /** The plants 1 … count, and no others, dealt out to the first `owners` owners in turn, as the load does it. */
  async fill(count: number, owners: number, scattered = false): Promise<void> {
    const { factor, modulus } = scattered ? scattering : { factor: 1, modulus: scattering.modulus };
    await this.#refill(
      count === 0
        ? undefined
        : {
            text: `INSERT INTO plants (owner, id, name, tag)
                   SELECT (number % $4)::text, number * $5 % $6::bigint, $1, $2
                   FROM generate_series(1, $3::bigint) AS number`,
            values: [count, owners, factor, modulus],
          },
    );
  }

  /** So many plants for each owner, and no others. */
  async fillEach(counts: readonly number[]): Promise<void> {
    await this.#refill({
      text: `INSERT INTO plants (owner, id, name, tag)
             SELECT (owner - 1)::text, id, $1, $2
             FROM unnest($3::bigint[]) WITH ORDINALITY AS owned (count, owner), generate_series(1, count) AS id`,
      values: [counts],
    });
  }

  async #refill(insert?: { text: string; values: readonly unknown[] }): Promise<void> {
    await this.#client.query('TRUNCATE plants');
    if (insert !== undefined) {
      // An index that is made afterwards takes a fraction of the time.
      await this.#client.query('ALTER TABLE plants DROP CONSTRAINT plants_pkey');
      await this.#client.query(insert.text, [plant.name, plant.tag, ...insert.values]);
      await this.#client.query('ALTER TABLE plants ADD PRIMARY KEY (owner, id)');
      // Hint bits and statistics, which a table that has been in use for a while has, too.
      await this.#client.query('VACUUM ANALYZE plants');
    }
    await this.settle();
  }

  /** Nobody shall pay for the checkpoint of what another wrote. */
  async settle(): Promise<void> {
    await this.#client.query('CHECKPOINT');
  }
}
