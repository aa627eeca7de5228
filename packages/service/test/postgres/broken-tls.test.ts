import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { startDatabaseProxy } from '../../../kit/index.js';
import { listen, listenWithTls, urlWithTls } from '../../../kit/postgres.js';
import { withoutOpenssl } from '../../../kit/testing.js';
import { OutcomeUnknownError } from '../../src/errors/database.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { newPlant } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { storeOf } from '../support/store.js';

const skip = withoutOpenssl;

/** The tests' PostgreSQL behind TLS, on a network that corrupts a byte of the next answer if asked to. */
async function behindTls(t: Test, databaseUrl: string) {
  const { url } = await startDatabaseProxy(t, databaseUrl);
  const tlsPort = await listenWithTls(t, Number(new URL(url).port));
  let broken = false;
  const port = await listen(t, (socket) => {
    const server = connect(tlsPort, '127.0.0.1').on('error', () => {});
    socket.pipe(server).on('data', (bytes) => {
      if (broken) bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      broken = false;
      socket.write(bytes);
    });
  });
  return {
    url: urlWithTls(url, port),
    breakNextAnswer() {
      broken = true;
    },
  };
}

t.test(
  'if TLS breaks in the answer to deletes, their outcome is reported as unknown',
  { skip },
  async (t) => {
    const databaseUrl = await makeDatabase(t);
    await migrate(databaseUrl, plantStore.migrationFolders);
    const network = await behindTls(t, databaseUrl);
    const database = new Database(network.url, () => {});
    t.teardown(() => database.close());
    const store = await storeOf(database);
    for (const id of [1n, 2n, 3n]) await store.create('owner', newPlant({ id, name: `plant ${id}` }));

    for (const ids of [[1n, 2n], [3n]]) {
      network.breakNextAnswer();
      const outcomes = await Promise.allSettled(ids.map((id) => store.delete('owner', id)));
      t.match(
        outcomes,
        ids.map(() => ({
          status: 'rejected',
          reason: { name: OutcomeUnknownError.name, cause: { code: /^ERR_SSL_/ } },
        })),
      );
      // The next statement uses a new connection.
      await store.list('owner');
    }
    t.strictSame(await store.list('owner'), [], 'they were done');
  },
);
