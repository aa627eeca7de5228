import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { projectFolder } from '../../../kit/index.js';
import { docsBlock, makeFolder, spawnServer, startProgram } from '../../../kit/testing.js';
import { migrate } from '../../src/postgres/migrations.js';
import { makeDatabase, makeTables } from '../support/postgres/database.js';
import { migrationNames } from '../support/postgres/migrations.js';

/** What the tables are before, beside the service's own. No resource has such names. */
const tables = `CREATE TABLE x_plots (id int PRIMARY KEY, label varchar(20), size int NOT NULL, soil text NOT NULL DEFAULT '', CONSTRAINT x_size UNIQUE (size));
                CREATE TABLE x_sheds (id int)`;

const plantsOfFirstVersion = join(projectFolder, 'src/plants/migrations/0002-plants.sql');

async function makeMigration(t: Test, sql: string, name = '9.sql'): Promise<string> {
  const folder = join(await makeFolder(t), 'migrations');
  await mkdir(folder);
  await writeFile(join(folder, name), sql);
  return folder;
}

/** By migration, what it would do to the version before; or nothing. */
const cases: Record<string, string | undefined> = {
  'CREATE TABLE x_pots (id int NOT NULL)': undefined,
  'ALTER TABLE x_plots ADD note text': undefined,
  'ALTER TABLE x_plots ADD depth int NOT NULL DEFAULT 0': undefined,
  'ALTER TABLE x_plots ADD number int GENERATED ALWAYS AS IDENTITY': undefined,
  'ALTER TABLE x_plots ALTER label TYPE varchar(30)': undefined,
  'ALTER TABLE x_plots ALTER label TYPE text': undefined,
  'ALTER TABLE x_plots DROP CONSTRAINT x_size': undefined,
  'CREATE TABLE x_pots (plot int REFERENCES x_plots)': undefined,
  'CREATE INDEX ON x_plots (size)': undefined,
  'DROP TABLE x_sheds': 'drops or renames the table x_sheds',
  'ALTER TABLE x_sheds RENAME TO "Sheds"': 'drops or renames the table x_sheds',
  'ALTER TABLE x_plots DROP label': 'drops or renames the column x_plots.label',
  'ALTER TABLE x_plots RENAME label TO name': 'drops or renames the column x_plots.label',
  'ALTER TABLE x_plots ADD depth int; UPDATE x_plots SET depth = 0; ALTER TABLE x_plots ALTER depth SET NOT NULL':
    'adds the column x_plots.depth, which is NOT NULL, without a default',
  'ALTER TABLE x_plots ALTER label TYPE varchar(10)':
    'changes the column x_plots.label from character varying(20) to character varying(10)',
  'ALTER TABLE x_plots ALTER soil TYPE varchar(10)':
    'changes the column x_plots.soil from text to character varying(10)',
  'ALTER TABLE x_plots ALTER size TYPE bigint': 'changes the column x_plots.size from integer to bigint',
  'ALTER TABLE x_plots ALTER label SET NOT NULL': 'sets the column x_plots.label NOT NULL',
  'ALTER TABLE x_plots ALTER size DROP NOT NULL': 'lets the column x_plots.size be NULL',
  'ALTER TABLE x_plots RENAME CONSTRAINT x_size TO x_sizes':
    'renames the constraint x_size of the table x_plots',
  'ALTER TABLE x_plots ALTER soil DROP DEFAULT': 'drops the default of the column x_plots.soil',
  'ALTER TABLE x_plots ADD CHECK (size > 0)': 'adds CHECK ((size > 0)) to the table x_plots',
  'CREATE UNIQUE INDEX sizes ON x_plots (size)':
    'adds CREATE UNIQUE INDEX sizes ON public.x_plots USING btree (size) to the table x_plots',
  'ALTER TABLE x_plots DROP CONSTRAINT x_plots_pkey': 'changes the primary key of the table x_plots',
};

for (const [sql, change] of Object.entries(cases)) {
  t.test(`${sql}: ${change === undefined ? 'applied' : 'refused, unless it is asked for'}`, async (t) => {
    const url = await makeTables(t, tables);
    const folders = [await makeMigration(t, sql)];
    if (change !== undefined) {
      await t.rejects(migrate(url, folders), {
        name: 'MigrationError',
        message:
          `9.sql would break replicas of the version before: ${change}. If none of them runs, use ` +
          '"BREAKING_MIGRATIONS=apply plant-store migrate" (docs/scale/replicas.md).',
      });
    }
    const warnings: string[] = [];
    const breaking = change === undefined ? 'refuse' : 'apply';
    const applied = await migrate(url, folders, { breaking, warn: (message) => warnings.push(message) });
    t.strictSame(applied, ['9.sql']);
    t.equal(warnings.length, change === undefined ? 0 : 1);
    t.ok(change === undefined || warnings[0]?.includes(change), 'what is applied all the same is told', {
      warnings,
    });
  });
}

t.test('the steps of docs/scale/replicas.md rename a column while both versions write', async (t) => {
  // The page renames a column of 1.0.0, which a later contract may not have.
  const url = await makeDatabase(t);
  await migrate(url, [await makeMigration(t, await readFile(plantsOfFirstVersion, 'utf8'), '2.sql')]);
  const block = (place: number) =>
    docsBlock('scale/replicas.md', 'Migrations while replicas run', 'sql', place);
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query("INSERT INTO plants (owner, id, name, tag) VALUES ('ada', 1, 'Ficus', 'before')");
  t.strictSame(await migrate(url, [await makeMigration(t, await block(1))]), ['9.sql']);
  await client.query(`INSERT INTO plants (owner, id, name, tag) VALUES ('ada', 2, 'Ficus', 'by the old one');
                      INSERT INTO plants (owner, id, name, label) VALUES ('ada', 3, 'Ficus', 'by the new one')`);
  t.match((await client.query('SELECT tag, label FROM plants ORDER BY id')).rows, [
    { tag: 'before', label: 'before' },
    { tag: 'by the old one', label: 'by the old one' },
    { tag: 'by the new one', label: 'by the new one' },
  ]);
  const folders = [await makeMigration(t, await block(2), '10.sql')];
  await t.rejects(migrate(url, folders), { message: /drops or renames the column plants\.tag\./ });
  t.strictSame(await migrate(url, folders, { breaking: 'apply' }), ['10.sql']);
});

t.test('on an empty database nothing is refused: there is no version before', async (t) => {
  const more = await makeMigration(t, 'DROP TABLE plants CASCADE');
  const applied = await migrate(await makeDatabase(t), [...plantStore.migrationFolders, more]);
  t.equal(applied.length, (await migrationNames()).length + 1);
});

t.test('several changes are all named, and nothing of any of the migrations is applied', async (t) => {
  const url = await makeTables(t, tables);
  const folders = [
    await makeMigration(t, 'ALTER TABLE x_plots ADD note text, DROP size; DROP TABLE x_sheds'),
  ];
  await t.rejects(migrate(url, folders), {
    message: /: drops or renames the column x_plots\.size; drops or renames the table x_sheds\. If/,
  });
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  t.match(await client.query("SELECT to_regclass('x_sheds') IS NOT NULL AS there"), {
    rows: [{ there: true }],
  });
  await t.rejects(client.query('SELECT note FROM x_plots'), /does not exist/);
});

t.test('if one of the new migrations would break, none is applied, and it is named', async (t) => {
  const url = await makeTables(t, tables);
  const folders = [
    await makeMigration(t, 'ALTER TABLE x_plots ADD note text', '1.sql'),
    await makeMigration(t, 'CREATE TABLE x_pots (id int)', '2.sql'),
    await makeMigration(t, 'ALTER TABLE x_plots DROP size', '3.sql'),
    await makeMigration(t, 'ALTER TABLE x_pots ADD size int; DROP TABLE x_sheds', '4.sql'),
  ];
  const refusal = {
    message:
      '3.sql would break replicas of the version before: drops or renames the column x_plots.size. 4.sql would break replicas of the version before: drops or renames the table x_sheds. If none of them runs, use "BREAKING_MIGRATIONS=apply plant-store migrate" (docs/scale/replicas.md). None of the new migrations is applied: 1.sql, 2.sql, 3.sql, 4.sql.',
  };
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  const applied = async () =>
    (
      await client.query("SELECT name FROM plant_store_migrations WHERE name ~ '^[0-9][.]' ORDER BY 1")
    ).rows.map(({ name }) => name);
  for (const isRehearsal of [true, false]) {
    await t.rejects(migrate(url, folders, { isRehearsal }), refusal);
    t.strictSame(await applied(), []);
  }
  t.strictSame(await migrate(url, folders.slice(0, 2)), ['1.sql', '2.sql'], 'without the last two');
  const warnings: string[] = [];
  await migrate(url, folders, { breaking: 'apply', warn: (message) => warnings.push(message) });
  t.match(warnings, [
    /^3\.sql .* column x_plots\.size\. 4\.sql .* drops or renames the table x_sheds\. They/,
  ]);
  t.strictSame(await applied(), ['1.sql', '2.sql', '3.sql', '4.sql']);
});

t.test('what a later migration makes good again is not refused', async (t) => {
  const url = await makeTables(t, tables);
  const folders = [
    await makeMigration(t, 'CREATE UNIQUE INDEX x_sizes ON x_plots (size)', '1.sql'),
    await makeMigration(t, 'DROP INDEX x_sizes', '2.sql'),
  ];
  t.strictSame(await migrate(url, folders), ['1.sql', '2.sql']);
});

t.test('a rehearsal fails as the start does, and does not hold locks for long', async (t) => {
  const url = await makeTables(t, `${tables}; INSERT INTO x_plots VALUES (1, NULL, 1), (2, NULL, 2)`);
  const rehearse = async (sql: string) => migrate(url, [await makeMigration(t, sql)], { isRehearsal: true });
  await t.rejects(rehearse('UPDATE x_plots SET size = 1 / (id - 2)'), {
    message: /^The migration 9\.sql failed: /,
  });
  await t.rejects(
    rehearse(`CREATE TABLE x_pots (plot int REFERENCES x_plots DEFERRABLE INITIALLY DEFERRED);
              INSERT INTO x_pots VALUES (3)`),
    { message: /^The migration 9\.sql failed: .* violates foreign key/ },
  );
  await t.rejects(rehearse('SELECT pg_sleep(60)'), {
    message: /^The migration 9\.sql was given up: .*statement timeout\. A check /,
  });
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query('BEGIN; LOCK TABLE x_plots');
  await t.rejects(rehearse('ALTER TABLE x_plots ADD note text'), {
    message: /^The migration 9\.sql was given up: .*lock timeout\. A check /,
  });
});

t.test('a start is refused as the command is, and what runs goes on', async (t) => {
  // As if the version before had had a column more, and a migration of this one dropped it: one that changes
  // nothing if it is applied again.
  const again = '0003-distribute-plants.sql';
  const url = await makeTables(
    t,
    `ALTER TABLE plants ADD x_size int;
     DELETE FROM plant_store_migrations WHERE name = '${again}'`,
  );
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query(`CREATE FUNCTION drop_it() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN ALTER TABLE plants DROP COLUMN IF EXISTS x_size; RETURN NEW; END $$;
    CREATE TRIGGER drop_it BEFORE INSERT ON plant_store_migrations FOR EACH ROW EXECUTE FUNCTION drop_it()`);
  const environment = { DATABASE_URL: url, PORT: '0' };
  const start = startProgram(t, 'src/main.ts', [], { environment });
  t.equal(await start.ended, 1);
  t.match(
    start.stderr(),
    /^0003-distribute-plants\.sql.* would break replicas .* drops or renames the column plants\.x_size\./,
  );
  for (const name of ['migrate', 'check']) {
    const command = startProgram(t, 'src/main.ts', [name], {
      environment,
    });
    t.equal(await command.ended, 1, name);
    t.match(command.stdout() + command.stderr(), start.stderr().trim(), name);
  }
  const server = await spawnServer(t, { DATABASE_URL: url, BREAKING_MIGRATIONS: 'apply' });
  t.equal((await server.call('GET', '/ready')).status, 200);
});
