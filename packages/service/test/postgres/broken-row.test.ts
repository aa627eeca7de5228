import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { startDatabaseProxy } from '../../../kit/index.js';
import { listen, listenWithTls, urlWithTls } from '../../../kit/postgres.js';
import { withoutOpenssl } from '../../../kit/testing.js';
import { OutcomeUnknownError } from '../../src/errors/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { newPlant } from '../support/plants.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';
import { storeOf } from '../support/store.js';

const dataRow = 'D'.charCodeAt(0);
const fields = 'SFATAL\0C08P01\0Mserver conn crashed?\0\0';

/** What pgbouncer 1.18 writes to a client if the connection to PostgreSQL breaks. */
function pgbouncersError(): Buffer {
  const head = Buffer.from('E----');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

/** @returns the first row of an answer, as the indexes of its first byte and of the byte behind it; undefined if it has none */
function rowIn(answer: Buffer): { begin: number; end: number } | undefined {
  // A message is its type, and then its length without the type (PostgreSQL documentation, section 54.2).
  for (let at = 0; at < answer.length; at += 1 + answer.readInt32BE(at + 1))
    if (answer[at] === dataRow) return { begin: at, end: at + 1 + answer.readInt32BE(at + 1) };
  return undefined;
}

/** The tests' PostgreSQL on a network that breaks after so many bytes of a row if asked to. */
async function behindPooler(t: Test, databaseUrl: string) {
  const url = new URL((await startDatabaseProxy(t, databaseUrl)).url);
  const postgresPort = Number(url.port);
  let breakAfter: number | undefined;
  let rowBytes = 0;
  const port = await listen(t, (client) => {
    const postgres = connect(postgresPort, '127.0.0.1').on('error', () => {});
    client.pipe(postgres);
    postgres.on('end', () => client.end());
    postgres.on('data', (answer) => {
      const row = breakAfter === undefined ? undefined : rowIn(answer);
      if (row === undefined || breakAfter === undefined) {
        client.write(answer);
        return;
      }
      rowBytes = row.end - row.begin;
      postgres.destroy();
      client.end(Buffer.concat([answer.subarray(0, row.begin + breakAfter), pgbouncersError()]));
      breakAfter = undefined;
    });
  });
  url.port = String(port);
  return {
    url: url.href,
    /** Breaks after so many bytes of the next row. */
    breakNextRow(bytes: number) {
      breakAfter = bytes;
    },
    /** @returns how many bytes the row has that was broken last */
    rowBytes: () => rowBytes,
  };
}

const ways = [
  { way: 'without TLS', skip: false, through: async (_t: Test, url: string) => url },
  {
    way: 'over TLS',
    skip: withoutOpenssl,
    through: async (t: Test, url: string) =>
      urlWithTls(url, await listenWithTls(t, Number(new URL(url).port))),
  },
];

for (const { way, skip, through } of ways) {
  t.test(
    `${way}, if the answer to deletes breaks in a row, their outcome is unknown, and none runs again`,
    { skip },
    async (t) => {
      const databaseUrl = await makeDatabase(t);
      await migrate(databaseUrl, plantStore.migrationFolders);
      const network = await behindPooler(t, databaseUrl);
      const database = openDatabase(t, await through(t, network.url));
      const store = await storeOf(database);
      // The answer to a delete that is alone has no row.
      const ids = [1n, 2n];
      let bytes = 1;
      do {
        for (const id of ids) await store.create('owner', newPlant({ id, name: `plant ${id}` }));
        network.breakNextRow(bytes);
        const outcomes = await Promise.allSettled(ids.map((id) => store.delete('owner', id)));
        t.match(
          outcomes,
          ids.map(() => ({ status: 'rejected', reason: { name: OutcomeUnknownError.name } })),
          `after ${bytes} bytes of the row`,
        );
        t.strictSame(await store.list('owner'), [], 'they were done');
        bytes++;
      } while (bytes < network.rowBytes());
    },
  );
}
