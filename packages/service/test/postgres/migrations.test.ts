import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { openTestCluster } from '../../../kit/postgres.js';
import { makeFolder, until } from '../../../kit/testing.js';
import { type MigrateOptions, migrate } from '../../src/postgres/migrations.js';
import { makeDatabase } from '../support/postgres/database.js';
import { migrationNames } from '../support/postgres/migrations.js';

async function connect(t: Test, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

/** The tables and the record of applied migrations. */
async function stateOf(client: pg.Client): Promise<unknown> {
  const tables = await client.query(
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
  );
  const recorded = await client.query("SELECT to_regclass('plant_store_migrations') IS NOT NULL AS there");
  const applied = recorded.rows[0]?.there
    ? (await client.query('SELECT name, applied_at FROM plant_store_migrations ORDER BY name')).rows
    : [];
  return { tables: tables.rows, applied };
}

async function makeMigrations(t: Test, files: Record<string, string>): Promise<string> {
  const folder = join(await makeFolder(t), 'migrations');
  await mkdir(folder);
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql);
  return folder;
}

t.test('simultaneous first starts on one empty database apply each migration once', async (t) => {
  const url = await makeDatabase(t);
  await Promise.all(Array.from({ length: 8 }, () => migrate(url, plantStore.migrationFolders)));
  const client = await connect(t, url);
  const { rows } = await client.query(
    'SELECT name, count(*)::int AS times FROM plant_store_migrations GROUP BY name ORDER BY name',
  );
  t.strictSame(
    rows,
    (await migrationNames()).map((name) => ({ name, times: 1 })),
  );
});

t.test('a time limit for statements of the database does not end a migration', async (t) => {
  const url = await makeDatabase(t);
  const client = await connect(t, url);
  const name = new URL(url).pathname.slice(1);
  await client.query(`ALTER DATABASE ${name} SET statement_timeout = 100`);
  const folder = await makeMigrations(t, { '0001-slow.sql': 'SELECT pg_sleep(1)' });
  t.strictSame(await migrate(url, [folder]), ['0001-slow.sql']);
});

t.test('a migration that does not get its lock lets requests go on, and is tried again', async (t) => {
  const url = await makeDatabase(t);
  const tables = await makeMigrations(t, { '0001-trees.sql': 'CREATE TABLE trees (id int PRIMARY KEY)' });
  await migrate(url, [tables]);
  const added = await makeMigrations(t, {
    '0002-tag.sql': 'ALTER TABLE trees ADD "tag" text',
    '0003-bush.sql': 'CREATE TABLE bushes (id int PRIMARY KEY)',
  });
  const [holder, reader] = [await connect(t, url), await connect(t, url)];
  await holder.query('BEGIN; SELECT FROM trees');

  await t.test('it is rolled back, and its sentence says why', async (t) => {
    const warnings: string[] = [];
    const migrated = migrate(url, [tables, added], { maxTries: 2, warn: (text) => warnings.push(text) });
    const failed = t.rejects(migrated, {
      name: 'MigrationError',
      message: /^The migration 0002-tag\.sql waited too long for a lock .*pg_stat_activity/,
    });
    const waits = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'trees'::regclass";
    await until('the migration waits', async () => (await reader.query(waits)).rowCount === 1);
    // Without a limit, this statement would wait for as long as the other transaction is open.
    t.equal((await reader.query('SELECT FROM trees')).rowCount, 0);
    await failed;
    t.match(warnings, [/ Trying again\.$/]);
    t.equal(warnings.length, 1);
    const { applied } = (await stateOf(reader)) as { applied: { name: string }[] };
    t.strictSame(
      applied.map(({ name }) => name),
      ['0001-trees.sql'],
    );
  });

  await t.test('once the lock is free, the next try applies it', async (t) => {
    const warnings: string[] = [];
    const warn = (text: string) => {
      warnings.push(text);
      void holder.query('COMMIT');
    };
    t.strictSame(await migrate(url, [tables, added], { warn }), ['0002-tag.sql', '0003-bush.sql']);
    t.equal(warnings.length, 1);
  });
});

t.test('the limit that a migration sets for itself ends with it', async (t) => {
  const url = await makeDatabase(t);
  const holder = await connect(t, url);
  await holder.query('CREATE TABLE trees (id int PRIMARY KEY)');
  await holder.query('BEGIN; SELECT FROM trees');
  const folder = await makeMigrations(t, {
    '0001-patient.sql': "SET LOCAL lock_timeout = '10min'",
    '0002-tag.sql': 'ALTER TABLE trees ADD "tag" text',
  });
  await t.rejects(migrate(url, [folder], { maxTries: 1 }), {
    message: /^The migration 0002-tag\.sql waited too long for a lock /,
  });
});

t.test('a start that is told to end does not try again', async (t) => {
  const url = await makeDatabase(t);
  const holder = await connect(t, url);
  await holder.query('CREATE TABLE trees (id int PRIMARY KEY)');
  await holder.query('BEGIN; SELECT FROM trees');
  const folder = await makeMigrations(t, { '0001-tag.sql': 'ALTER TABLE trees ADD "tag" text' });
  const ending = new AbortController();
  const warn = () => ending.abort();
  await t.rejects(migrate(url, [folder], { warn, signal: ending.signal }), { name: 'AbortError' });
});

t.test('a migration waits for those of another replica without that limit', async (t) => {
  const url = await makeDatabase(t);
  const client = await connect(t, url);
  await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET lock_timeout = 100`);
  const folder = await makeMigrations(t, { '0001-slow.sql': 'SELECT pg_sleep(3)' });
  const applied = await Promise.all([1, 2].map(() => migrate(url, [folder], { maxTries: 1 })));
  t.strictSame(applied.flat(), ['0001-slow.sql']);
});

t.test('a second run of the migrations changes nothing', async (t) => {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  const client = await connect(t, url);
  const before = await stateOf(client);
  await migrate(url, plantStore.migrationFolders);
  t.strictSame(await stateOf(client), before);
});

t.test('a second run of the migrations needs only the right to read', async (t) => {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  const client = await connect(t, url);
  const role = `reader_${process.pid}`;
  await client.query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT SELECT ON plant_store_migrations TO ${role}`,
  );
  t.teardown(() => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  const reader = new URL(url);
  reader.username = role;
  reader.password = 'secret';
  await migrate(reader.href, plantStore.migrationFolders);
  const more = await makeMigrations(t, { '0003-more.sql': 'CREATE TABLE more ()' });
  await t.rejects(migrate(reader.href, [more]), {
    message: /^The migration 0003-more\.sql failed: permission denied/,
  });
});

t.test('migrations run in the order of their names, across folders, and only .sql files', async (t) => {
  const url = await makeDatabase(t);
  const [one, other] = [
    await makeMigrations(t, { '2.sql': 'INSERT INTO words VALUES (2)', 'README.md': 'No SQL.' }),
    await makeMigrations(t, {
      '1.sql': 'CREATE TABLE words (n int)',
      '3.sql': 'INSERT INTO words VALUES (3)',
    }),
  ];
  await migrate(url, [one, other]);
  const client = await connect(t, url);
  t.strictSame((await client.query('SELECT n FROM words')).rows, [{ n: 2 }, { n: 3 }]);
});

t.test('if one of several migrations fails, none is applied; once mended, all are', async (t) => {
  const url = await makeDatabase(t);
  const folder = await makeMigrations(t, {
    '1.sql': 'CREATE TABLE good (n int)',
    '2.sql': 'CREATE TABLE half (n int); SELECT 1/0',
  });
  const client = await connect(t, url);
  const before = await stateOf(client);
  await t.rejects(migrate(url, [folder]), {
    name: 'MigrationError',
    message: 'The migration 2.sql failed: division by zero.',
  });
  t.strictSame(await stateOf(client), before);
  await rename(join(folder, '2.sql'), join(folder, '2.sql.broken'));
  await migrate(url, [folder]);
  t.match(await stateOf(client), { applied: [{ name: '1.sql' }] });
});

t.test('if the check after the migrations fails, none is applied; once mended, all are', async (t) => {
  const url = await makeDatabase(t);
  const folder = await makeMigrations(t, { '1.sql': 'CREATE TABLE plots (n int)' });
  const client = await connect(t, url);
  const before = await stateOf(client);
  const check: MigrateOptions['check'] = async (database) => {
    const { rowCount } = await database.query({
      text: 'SELECT FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2',
      values: ['plots', 'size'],
    });
    if (rowCount !== 1) throw new Error('The plots have no size.');
  };
  await t.rejects(migrate(url, [folder], { check }), { message: 'The plots have no size.' });
  t.strictSame(await stateOf(client), before);
  await writeFile(join(folder, '1.sql'), 'CREATE TABLE plots (n int, size int)');
  await migrate(url, [folder], { check });
  t.match(await stateOf(client), { applied: [{ name: '1.sql' }] });
  await t.rejects(
    migrate(url, [folder], {
      check: async (database) => void (await database.query({ text: 'SELECT 1/0' })),
    }),
    { name: 'MigrationError', message: 'The check of the migrations failed: division by zero.' },
  );
});

t.test('an empty migration is refused, because once applied it could never be filled', async (t) => {
  const url = await makeDatabase(t);
  const folder = await makeMigrations(t, { '1.sql': 'CREATE TABLE plots (n int)', '2.sql': '\n' });
  const client = await connect(t, url);
  const before = await stateOf(client);
  await t.rejects(migrate(url, [folder]), {
    name: 'MigrationError',
    message: 'The migration 2.sql is empty: write its SQL, or delete the file.',
  });
  t.strictSame(await stateOf(client), before);
});

t.test('two migrations of the same name are refused, with their folders', async (t) => {
  const url = await makeDatabase(t);
  const client = await connect(t, url);
  const before = await stateOf(client);
  const folders = [
    await makeMigrations(t, { '1-one.sql': 'CREATE TABLE one ()' }),
    await makeMigrations(t, { '1-one.sql': 'CREATE TABLE other ()', '2-two.sql': 'CREATE TABLE two ()' }),
  ];
  const error = await migrate(url, folders).catch((reason: unknown) => reason);
  t.match(error, { name: 'MigrationError' });
  for (const folder of folders) t.match(String(error), join(folder, '1-one.sql'));
  t.strictSame(await stateOf(client), before);
});

t.test('a folder of migrations that does not exist is named', async (t) => {
  const folder = join(await makeFolder(t), 'gardens', 'migrations');
  await t.rejects(migrate(await makeDatabase(t), [folder]), { name: 'MigrationError', message: folder });
});

t.test('migrations on an unreachable database fail as "unavailable"', async (t) => {
  // A folder without a socket.
  const url = `postgresql://plants@localhost/plants?host=${encodeURIComponent(await makeFolder(t))}`;
  await t.rejects(migrate(url, plantStore.migrationFolders), { name: 'DatabaseUnavailableError' });
});

t.test('a role without the right to make tables gets an error that says so', async (t) => {
  const url = await makeDatabase(t);
  const role = `${new URL(url).pathname.slice(1)}_role`;
  const client = await connect(t, url);
  await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  await t.rejects(migrate(url.replace(/\/\/[^@]*@/, `//${role}:secret@`), plantStore.migrationFolders), {
    name: 'MigrationError',
    message: 'The table of migrations failed: permission denied for schema public.',
  });
  await client.query(`DROP ROLE ${role}`);
});

t.test('migrations whose connection is lost leave nothing behind, and fail as "unavailable"', async (t) => {
  const url = await makeDatabase(t);
  const folder = await makeMigrations(t, { '1.sql': 'CREATE TABLE half (n int); SELECT pg_sleep(600)' });
  const client = await connect(t, url);
  const before = await stateOf(client);
  const failure = t.rejects(migrate(url, [folder]), { name: 'DatabaseUnavailableError' });
  await until('the migration runs', async () => {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`,
    );
    return rowCount === 1;
  });
  await failure;
  t.strictSame(await stateOf(client), before);
});

t.test('a database that is not encoded in UTF-8 is refused', async (t) => {
  const cluster = await openTestCluster();
  const client = await connect(t, cluster.url);
  const name = `${new URL(await makeDatabase(t)).pathname.slice(1)}_ascii`;
  await client.query(
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'`,
  );
  const url = cluster.url.replace('/postgres?', `/${name}?`);
  await t.rejects(migrate(url, plantStore.migrationFolders), {
    name: 'MigrationError',
    message: "The database is encoded in SQL_ASCII: create one with ENCODING 'UTF8'.",
  });
  await client.query(`DROP DATABASE ${name}`);
});
