import pg from 'pg';
import t from 'tap';
import { runIn } from '../../../../test/drift/run.js';
import { apply, copyProject } from '../../../kit/index.js';
import { launchServer, makeFolder, spawnServer, until } from '../../../kit/testing.js';
import { TokenStore } from '../../src/access/token-store.js';
import { runPlantStore } from '../support/plant-store-program.js';
import { insertPlants } from '../support/plants.js';
import { makeTables, openDatabase } from '../support/postgres/database.js';

/**
 * In a rolling upgrade, a replica of the version before can crash, or be added, after the new version has
 * migrated. The newer version here is a copy of the project with a table more, whose rows refer to plants, and
 * its own program migrates.
 */
t.test('a version starts, and starts again, on a database that a newer version has migrated', async (t) => {
  const url = await makeTables(t, insertPlants("VALUES ('ada', 1, 'Fern'), ('ada', 2, 'Ivy')"));
  const environment = { DATABASE_URL: url, LOG_LEVEL: 'info' };
  const folder = await makeFolder(t);
  await copyProject(folder);
  await apply(folder, {
    file: 'src/plants/migrations/9001-herbaria.sql',
    old: '',
    next: `CREATE TABLE herbaria (owner text NOT NULL, id bigint NOT NULL, plant bigint NOT NULL,
             PRIMARY KEY (owner, id),
             CONSTRAINT herbaria_plant FOREIGN KEY (owner, plant) REFERENCES plants (owner, id));
           INSERT INTO herbaria VALUES ('ada', 1, 1);
           ALTER TABLE plants ADD note text;
           UPDATE plants SET note = 'of the newer version';`,
  });
  // Other foreign keys may refer to plants, which the table names already.
  for (const [old, next] of [
    ['export const plantsTable =', 'const older ='],
    [
      '\n});\n',
      `\n});
       export const plantsTable = {
         ...older,
         besideContract: [...(older.besideContract ?? []), 'note'],
         deleteFailures: { ...older.deleteFailures, herbaria_plant: 'isStored' },
       };\n`,
    ],
  ] as const)
    await apply(folder, { file: 'src/plants/table.ts', old, next });
  const migrated = await runIn(folder, ['src/main.ts', 'migrate'], environment);
  t.strictSame(migrated, { code: 0, output: 'Applied 9001-herbaria.sql.\n' });

  const database = openDatabase(t, url);
  const token = await new TokenStore(database).issue('ada');
  const server = await spawnServer(t, environment);
  t.equal((await server.call('GET', '/ready')).status, 200);
  t.equal((await server.call('DELETE', '/plants/2', { token })).status, 204);
  t.equal((await server.call('DELETE', '/plants/1', { token })).status, 503);
  t.match((await server.call('GET', '/plants', { token })).text, 'Fern', 'nothing was deleted');
  const told = 'violates foreign key constraint';
  await until('the delete is told', () => server.stdout().includes(told));
  const log = server.stdout();
  t.match(log, /"level":40.*a newer one has applied 9001-herbaria\.sql\./);
  t.match(log, /"level":40.*the constraint herbaria_plant of herbaria refuses deletes from plants/);
  t.match(log, /"level":40.*violates foreign key constraint \\"herbaria_plant\\"/, 'the delete is told');
  t.notMatch(
    log,
    /plants\.note|add a migration|drop the column|deleteFailures/,
    'no advice for the newer one',
  );
  const checked = await runPlantStore(t, ['check'], { DATABASE_URL: url });
  t.equal(checked.code, 0, checked.out);
  t.match(checked.out, /^warning .*9001-herbaria\.sql/m);

  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query(
    `ALTER TABLE plants DROP name; INSERT INTO plant_store_migrations VALUES ('9002-drop-name.sql')`,
  );
  const sentence =
    /a newer one has applied 9001-herbaria\.sql, 9002-drop-name\.sql\. .*: the column plants\.name is missing\. Start a version/;
  const refused = launchServer(t, environment);
  t.equal(await refused.ended, 1);
  t.match(refused.stderr(), sentence);
  t.notMatch(refused.stderr(), 'add a migration');
  t.match(await runPlantStore(t, ['check'], { DATABASE_URL: url }), { code: 1, out: sentence });
});
