/**
 * Fills databases for the contestants, quickly and always in the same way: every contestant meets the same
 * store in every round.
 */
import type pg from 'pg';
import { migrate, storeTokens } from '../../../kit/index.js';
import { insertPlants } from '../plants.js';
import type { Postgres } from './postgres.js';

/** The plant that all benchmarks store. */
export const plant = { name: 'Monstera deliciosa', tag: 'climber' };

/** The number of owners. Requests take their tokens in turn, and they share the plants. */
const owners = 16;

/** A database of the service for one contestant, so that no table grows by the work of another. */
export class BenchDatabase {
  readonly url: string;
  /** The tokens of the owners "owner-0", "owner-1" and so on. */
  readonly tokens: readonly string[];
  readonly #client: pg.Client;

  private constructor(url: string, client: pg.Client, tokens: readonly string[]) {
    this.url = url;
    this.tokens = tokens;
    this.#client = client;
  }

  /** Makes a database with the service's tables, and stores the tokens. */
  static async create(postgres: Postgres): Promise<BenchDatabase> {
    const { url, client } = await postgres.create();
    // This connection fills tables and builds indexes before the clock runs. The setting holds for it alone.
    await client.query("SET maintenance_work_mem = '512MB'");
    await migrate(postgres.cleanup, url);
    return new BenchDatabase(url, client, await storeTokens(url, owners));
  }

  /**
   * Stores exactly the plants 1 … count, dealt out to the first `dealtTo` owners as the load does. It leaves
   * the database as it is if the connection breaks in between.
   */
  async fill(count: number, dealtTo = owners): Promise<void> {
    // One transaction hides the missing index from creates of a load that was cut off.
    await this.#client.query('BEGIN');
    try {
      await this.#client.query('TRUNCATE plants');
      if (count > 0) await this.#insert(count, dealtTo);
      await this.#client.query('COMMIT');
    } catch (error) {
      // If the connection broke, the first error says more than that of the rollback.
      await this.#client.query('ROLLBACK').catch(() => {});
      throw error;
    }
    // VACUUM sets the hint bits and statistics that a table in use would have.
    if (count > 0) await this.#client.query('VACUUM ANALYZE plants');
    // No contestant shall pay for another's writes.
    await this.#client.query('CHECKPOINT');
  }

  async #insert(count: number, dealtTo: number): Promise<void> {
    // To insert without the index, and to build it in one go, takes a fraction of the time.
    await this.#client.query('ALTER TABLE plants DROP CONSTRAINT plants_pkey');
    const rows = `SELECT 'owner-' || number % $4, number, $1, $2 FROM generate_series(1, $3::bigint) AS number`;
    await this.#client.query(insertPlants(rows, ['tag']), [plant.name, plant.tag, count, dealtTo]);
    await this.#client.query('ALTER TABLE plants ADD PRIMARY KEY (owner, id)');
  }

  /** Makes each insert of a row take this much longer from now on, without CPU time. */
  async slowDown(rowMs: number): Promise<void> {
    await this.#client.query(`
      CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(${rowMs / 1_000}); RETURN NEW; END';
      CREATE TRIGGER be_slow BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION be_slow()`);
  }
}
