import { connect } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { startDatabaseProxy } from '../../scripts/kit/database-proxy.js';
import { newPlant } from '../../scripts/kit/plants.js';
import { OutcomeUnknownError } from '../../src/errors/database.js';
import { plantParts } from '../../src/parts.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { makeCertificate, withoutOpenssl } from '../support/access/certificate.js';
import { makeDatabase } from '../support/postgres/database.js';
import { listen } from '../support/postgres/listen.js';
import { storeOf } from '../support/service/store.js';

const skip = withoutOpenssl;

/** The tests' PostgreSQL behind TLS, on a network that corrupts a byte of the next answer if asked to. */
async function behindTls(t: Test, databaseUrl: string) {
  const context = createSecureContext(await makeCertificate(t));
  const url = new URL((await startDatabaseProxy(t, databaseUrl)).url);
  const plainPort = Number(url.port);
  const tlsPort = await listen(t, (socket) => {
    // A client first asks for TLS with eight bytes (PostgreSQL documentation, SSL Session Encryption).
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, secureContext: context });
      const postgres = connect(plainPort, '127.0.0.1');
      for (const end of [secure, postgres]) end.on('error', () => {});
      secure.pipe(postgres).pipe(secure);
    });
  });
  let broken = false;
  const port = await listen(t, (socket) => {
    const server = connect(tlsPort, '127.0.0.1').on('error', () => {});
    socket.pipe(server).on('data', (bytes) => {
      if (broken) bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      broken = false;
      socket.write(bytes);
    });
  });
  url.port = String(port);
  url.searchParams.set('sslmode', 'no-verify');
  return {
    url: url.href,
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
    await migrate(databaseUrl, plantParts.migrationFolders);
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
