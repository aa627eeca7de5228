import type { QueryResult, QueryResultRow } from 'pg';
import t, { type Test } from 'tap';
import { PlantNotFoundError, PlantStore } from '../src/plants/store.js';
import { Database, type Statement } from '../src/postgres/database.js';
import { migrate } from '../src/postgres/migrations.js';
import { migrationFolders } from '../src/project.js';
import { makeDatabase } from './support/database.js';

/**
 * PostgreSQL, made to refuse what Citus 13.2 refuses where `plants` is distributed by `owner`: in place of such a
 * statement it is asked what it does not do itself.
 */
class LikeCitus extends Database {
  refused = 0;

  override query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    if (!/LATERAL|MERGE|FOR UPDATE/.test(statement.text)) return super.query(statement);
    this.refused++;
    return super.query({ text: statement.text.includes('MERGE') ? unknownToCitus : notSupported });
  }
}

const notSupported = 'SELECT DISTINCT 1 FOR UPDATE';
/** It gives no SQLSTATE of its own where a MERGE reads a function (merge_planner.c). */
const unknownToCitus = "DO $$ BEGIN RAISE EXCEPTION 'MERGE' USING ERRCODE = 'XX000'; END $$";

async function startStore(t: Test) {
  const url = await makeDatabase(t);
  await migrate(url, migrationFolders);
  const database = new LikeCitus(url, () => {});
  t.teardown(() => database.close());
  return { store: new PlantStore(database), database };
}

const owners = ['a', 'b', 'c'];

t.test('where first pages of several lists cannot share a statement, each has its own', async (t) => {
  const { store, database } = await startStore(t);
  for (const owner of owners) {
    for (const id of [1n, 2n]) await store.create(owner, { id, name: `${owner} ${id}` });
  }
  for (const limit of [1, 5]) {
    t.strictSame(await Promise.all([...owners, 'nobody'].map((owner) => store.list(owner, limit))), [
      ...owners.map((owner) => [{ name: `${owner} 1` }, { name: `${owner} 2` }].slice(0, limit)),
      [],
    ]);
  }
  t.equal(database.refused, 1, 'it is not asked again');
});

t.test('where rows cannot be locked in an order, plants are deleted in any', async (t) => {
  const { store, database } = await startStore(t);
  for (const owner of owners) await store.create(owner, { id: 1n, name: 'x' });
  t.match(await Promise.allSettled([...owners, 'a', 'd'].map((owner) => store.delete(owner, 1n))), [
    ...owners.map(() => ({ status: 'fulfilled' })),
    { status: 'rejected', reason: PlantNotFoundError },
    { status: 'rejected', reason: PlantNotFoundError },
  ]);
  await Promise.allSettled([1n, 2n].map((id) => store.delete('a', id)));
  t.equal(database.refused, 2, 'neither is asked again');
});
