import pg, { type QueryResult, type QueryResultRow } from 'pg';
import type { Test } from 'tap';
import { PlantStore } from '../../src/plants/store.js';
import { Database, type Statement } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { migrationFolders } from '../../src/project.js';
import { makeDatabase } from './database.js';
import { until } from './process.js';

/** Of a key that is taken, and of a plant that is not there (src/plants/statements.ts). */
const refusals = ['23505', '23502'];

/** Keeps its statements, and counts those that failed for a key. */
class WatchedDatabase extends Database {
  statements: Statement[] = [];
  failed = 0;
  /** Whether it says it as Citus does of another node: without the SQLSTATE. */
  likeCitus = false;

  readonly url: string;

  constructor(url: string) {
    super(url, () => {});
    this.url = url;
  }

  override async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    this.statements.push(statement);
    try {
      return await super.query(statement);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && refusals.includes(String(error.code)))) throw error;
      this.failed++;
      throw this.likeCitus ? Object.assign(new Error(error.message), { code: 'XX000' }) : error;
    }
  }
}

/** Opens stores of one database, each with connections of its own, as replicas have. */
export async function replicasOf(t: Test) {
  const url = await makeDatabase(t);
  await migrate(url, migrationFolders);
  return () => {
    const database = new WatchedDatabase(url);
    t.teardown(() => database.close());
    return { database, store: new PlantStore(database) };
  };
}

export async function namesIn(store: PlantStore, owner: string): Promise<string[]> {
  const names = [];
  for await (const page of await store.list(owner)) names.push(...[page].flat().map(({ name }) => name));
  return names;
}

/**
 * Has a statement wait for a lock that somebody else holds, and tries meanwhile what it has not come to yet.
 *
 * @param hold what takes the lock
 * @param meanwhile fails where it meets a lock of the statement
 * @param end how what took the lock ends
 */
export async function whileItWaits(
  t: Test,
  url: string,
  {
    hold,
    begin,
    meanwhile = '',
    end = 'ROLLBACK',
  }: { hold: string; begin: () => Promise<unknown>; meanwhile?: string; end?: 'COMMIT' | 'ROLLBACK' },
): Promise<void> {
  const [holder, other] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([holder.connect(), other.connect()]);
  t.teardown(() => Promise.all([holder.end(), other.end()]));
  await holder.query(`BEGIN; ${hold}`);
  const begun = begin();
  // Until it is awaited: what fails before that shall be what is told.
  begun.catch(() => {});
  await until('the statement waits for the lock', async () => {
    const { rowCount } = await other.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return rowCount === 1;
  });
  await other.query(`BEGIN; SET LOCAL lock_timeout = '1s'; ${meanwhile}; ROLLBACK`);
  await holder.query(end);
  await begun;
}
