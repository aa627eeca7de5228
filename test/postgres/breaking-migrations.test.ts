import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { insertPlants } from '../../scripts/kit/plants.js';
import { plantParts } from '../../src/parts.js';
import { migrate } from '../../src/postgres/migrations.js';
import { projectFolder } from '../../src/project.js';
import { docsBlock } from '../support/docs/docs-block.js';
import { makeDatabase, makeTables } from '../support/postgres/database.js';
import { migrationNames } from '../support/postgres/migrations.js';
import { makeFolder, startProgram } from '../support/programs/process.js';
import { spawnServer } from '../support/service/server.js';

/** What the tables are before, beside the service's own. No resource has such names. */
const tables = `CREATE TABLE x_plots (id int PRIMARY KEY, label varchar(20), size int NOT NULL, soil text NOT NULL DEFAULT '');
                CREATE TABLE x_sheds (id int)`;

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
  'ALTER TABLE x_plots ALTER size DROP NOT NULL': undefined,
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
    const applied = await migrate(url, folders, undefined, breaking, (message) => warnings.push(message));
    t.strictSame(applied, ['9.sql']);
    t.equal(warnings.length, change === undefined ? 0 : 1);
    t.ok(change === undefined || warnings[0]?.includes(change), 'what is applied all the same is told', {
      warnings,
    });
  });
}

t.test('the steps of docs/scale/replicas.md rename a column while both versions write', async (t) => {
  const url = await makeTables(t, insertPlants("VALUES ('ada', 1, 'Ficus', 'before')"));
  const block = (place: number) =>
    docsBlock('scale/replicas.md', 'Migrations while replicas run', 'sql', place);
  t.strictSame(await migrate(url, [await makeMigration(t, await block(1))]), ['9.sql']);
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query(`INSERT INTO plants (owner, id, name, tag) VALUES ('ada', 2, 'Ficus', 'by the old one');
                      INSERT INTO plants (owner, id, name, label) VALUES ('ada', 3, 'Ficus', 'by the new one')`);
  t.match((await client.query('SELECT tag, label FROM plants ORDER BY id')).rows, [
    { tag: 'before', label: 'before' },
    { tag: 'by the old one', label: 'by the old one' },
    { tag: 'by the new one', label: 'by the new one' },
  ]);
  const folders = [await makeMigration(t, await block(2), '10.sql')];
  await t.rejects(migrate(url, folders), { message: /drops or renames the column plants\.tag\./ });
  t.strictSame(await migrate(url, folders, undefined, 'apply'), ['10.sql']);
});

t.test('on an empty database nothing is refused: there is no version before', async (t) => {
  const more = await makeMigration(t, 'ALTER TABLE plants DROP tag');
  const applied = await migrate(await makeDatabase(t), [...plantParts.migrationFolders, more]);
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

t.test('a start is refused as the command is, and what runs goes on', async (t) => {
  // As if the version before had had a column more, and the migrations of this one dropped it.
  const ofPlants = await readdir(join(projectFolder, 'src', 'plants', 'migrations'));
  const url = await makeTables(
    t,
    `ALTER TABLE plants ADD x_size int;
     DELETE FROM plant_store_migrations WHERE name IN (${ofPlants.map((name) => `'${name}'`)})`,
  );
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  // The migrations, applied anew: the table is another one.
  await client.query(`CREATE FUNCTION drop_it() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN DROP TABLE IF EXISTS plants; END $$;
    CREATE EVENT TRIGGER drop_it ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION drop_it()`);
  const environment = { DATABASE_URL: url, PORT: '0' };
  const start = startProgram(t, 'src/main.ts', [], { environment });
  t.equal(await start.ended, 1);
  t.match(
    start.stderr(),
    /^0002-plants\.sql.* would break replicas .* drops or renames the column plants\.x_size\./,
  );
  const command = startProgram(t, 'src/command-line/plant-store.ts', ['migrate'], { environment });
  t.equal(await command.ended, 1);
  const server = await spawnServer(t, { DATABASE_URL: url, BREAKING_MIGRATIONS: 'apply' });
  t.equal((await server.call('GET', '/ready')).status, 200);
});
