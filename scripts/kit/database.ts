import type pg from 'pg';
import { hashToken } from '../../src/access/token.js';
import { plantParts } from '../../src/parts.js';
import { migrate } from '../../src/postgres/migrations.js';
import { insertPlants } from './plants.js';
import type { Postgres } from './postgres.js';

/** The plant that all benchmarks store. */
export const plant = { name: 'Monstera deliciosa', tag: 'climber' };

interface Insert {
  readonly text: string;
  /** The parameters after the name and the tag, which are $1 and $2. */
  readonly values: readonly unknown[];
  readonly name?: string;
}

/** A database of the service for one contestant, so that no table grows by the work of another. */
export class BenchDatabase {
  readonly url: string;
  readonly #client: pg.Client;

  private constructor(url: string, client: pg.Client) {
    this.url = url;
    this.#client = client;
  }

  /** Stores these tokens; the owner of the first is called 0, of the next 1, and so on. */
  static async create(postgres: Postgres, tokens: readonly string[]): Promise<BenchDatabase> {
    const { url, client } = await postgres.create();
    // This connection fills tables and builds indexes before the clock runs. The setting holds for it alone.
    await client.query("SET maintenance_work_mem = '512MB'");
    await migrate(url, plantParts.migrationFolders);
    await client.query(
      `INSERT INTO access_tokens (owner, hash)
       SELECT (number - 1)::text, decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
      [tokens.map(hashToken)],
    );
    return new BenchDatabase(url, client);
  }

  /** Stores exactly the plants 1 … count, dealt out to the first `owners` owners as the load does. */
  async fill(count: number, owners: number): Promise<void> {
    await this.#refill(
      count === 0
        ? undefined
        : {
            text: insertPlants(
              `SELECT (number % $4)::text, number, $1, $2 FROM generate_series(1, $3::bigint) AS number`,
            ),
            values: [count, owners],
          },
    );
  }

  /** Stores exactly this many plants for each owner, all of this name. */
  async fillEach(counts: readonly number[], name = plant.name): Promise<void> {
    await this.#refill({
      text: insertPlants(
        `SELECT (owner - 1)::text, id, $1, $2
         FROM unnest($3::bigint[]) WITH ORDINALITY AS owned (count, owner), generate_series(1, count) AS id`,
      ),
      values: [counts],
      name,
    });
  }

  async #refill(insert?: Insert): Promise<void> {
    // One transaction hides the missing index from creates of a load that was cut off.
    await this.#client.query('BEGIN');
    try {
      await this.#client.query('TRUNCATE plants');
      if (insert !== undefined) await this.#insert(insert);
      await this.#client.query('COMMIT');
    } catch (error) {
      // If the connection broke, the first error says more than that of the rollback.
      await this.#client.query('ROLLBACK').catch(() => {});
      throw error;
    }
    // VACUUM sets the hint bits and statistics that a table in use would have.
    if (insert !== undefined) await this.#client.query('VACUUM ANALYZE plants');
    await this.settle();
  }

  async #insert({ text, values, name = plant.name }: Insert): Promise<void> {
    // To insert without the index, and to build it in one go, takes a fraction of the time.
    await this.#client.query('ALTER TABLE plants DROP CONSTRAINT plants_pkey');
    await this.#client.query(text, [name, plant.tag, ...values]);
    await this.#client.query('ALTER TABLE plants ADD PRIMARY KEY (owner, id)');
  }

  /** Makes each insert of a row take longer from now on, without CPU time. */
  async slowDown(rowMs: number): Promise<void> {
    await this.#client.query(`
      CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(${rowMs / 1_000}); RETURN NEW; END';
      CREATE TRIGGER be_slow BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION be_slow()`);
  }

  /** Writes a checkpoint now, so that no contestant pays for another's writes. */
  async settle(): Promise<void> {
    await this.#client.query('CHECKPOINT');
  }
}
