import { readdirSync } from 'node:fs';
import t from 'tap';
import { plantStore } from '../../../src/plant-store.js';
import { createDebianPostgres, debianVersion, withoutDebianPostgres } from '../../kit/postgres.js';
import { spawnServer } from '../../kit/testing.js';
import { Database, migrate, TokenStore } from '../../service/layer.js';
import { newPlantText, plantText, withTexts } from '../../service/test/support/plants.js';

t.test(
  `the service works with Debian's PostgreSQL ${debianVersion}`,
  { skip: withoutDebianPostgres },
  async (t) => {
    const cluster = await createDebianPostgres(t);
    await cluster.start();
    const url = cluster.url();
    await migrate(url, plantStore.migrationFolders);
    const database = new Database(url, () => {});
    const token = await new TokenStore(database).issue('owner');
    await database.close();

    const environment = { DATABASE_URL: url, DATA_DIR: t.testdir() };
    const killed = await spawnServer(t, environment);
    const plant = newPlantText({ id: 7, name: 'Ficus', ...withTexts('tree') });
    t.equal((await killed.call('POST', '/plants', { token, body: plant })).status, 200);
    t.equal((await killed.call('POST', '/plants', { token, body: plant })).status, 200);
    t.equal(
      (await killed.call('POST', '/plants', { token, body: newPlantText({ id: 7, name: 'Fern' }) })).status,
      409,
    );
    killed.child.kill('SIGKILL');
    await killed.ended;

    const server = await spawnServer(t, environment);
    t.equal(
      (await server.call('GET', '/plants', { token })).text,
      `[${plantText({ name: 'Ficus', ...withTexts('tree') })}]`,
    );
    t.equal((await server.call('DELETE', '/plants/7', { token })).status, 204);
    t.equal((await server.call('DELETE', '/plants/7', { token })).status, 404);
    t.strictSame(readdirSync(environment.DATA_DIR), [], 'the embedded one is not touched');
  },
);
