/** Opens stores that share a database, as replicas do, and puts statements in each other's way. */
import pg, { type QueryResult, type QueryResultRow } from 'pg';
import type { Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { untilLocked } from '../../../kit/postgres.js';
import { Database, type Statement } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { makeDatabase } from './postgres/database.js';
import { type PlantStore, storeOf } from './store.js';

/** A database that records the statements that are sent to it. */
export class WatchedDatabase extends Database {
  statements: Statement[] = [];
  readonly url: string;

  constructor(url: string) {
    super(url, () => {});
    this.url = url;
  }

  override query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    this.statements.push(statement);
    return super.query(statement);
  }
}

/**
 * Makes a database with tables.
 *
 * @returns a function that opens one more store of it, with connections of its own, as a replica has
 */
export async function replicasOf(t: Test) {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  return async () => {
    const database = new WatchedDatabase(url);
    t.teardown(() => database.close());
    return { database, store: await storeOf(database) };
  };
}

/** Lists the names of all plants of an owner, page by page, in the order of the store. */
export async function namesIn(store: PlantStore, owner: string): Promise<string[]> {
  const names = [];
  for await (const page of await store.list(owner)) names.push(...[page].flat().map(({ name }) => name));
  return names;
}

/**
 * Has a statement wait for a lock of another transaction, and tries which locks it does not hold yet.
 *
 * @param hold SQL that takes the lock
 * @param begin begins the statement
 * @param meanwhile SQL that fails if the statement holds a lock that it needs
 * @param end how the transaction that holds the lock ends
 * @throws {Error} if the statement ends without waiting, if it fails, or of pg if `meanwhile` does
 */
export async function whileItWaits(
  t: Test,
  url: string,
  {
    hold,
    begin,
    meanwhile = '',
    end = 'ROLLBACK',
  }: { hold: string; begin: () => Promise<unknown>; meanwhile?: string; end?: string },
): Promise<void> {
  const [holder, other] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([holder.connect(), other.connect()]);
  t.teardown(() => Promise.all([holder.end(), other.end()]));
  await holder.query(`BEGIN; ${hold}`);
  const begun = begin();
  // Not unhandled until it is awaited below: an earlier failure here should be the one reported.
  begun.catch(() => {});
  await untilLocked(url, 1, begun);
  await other.query(`BEGIN; SET LOCAL lock_timeout = '1s'; ${meanwhile}; ROLLBACK`);
  await holder.query(end);
  await begun;
}
