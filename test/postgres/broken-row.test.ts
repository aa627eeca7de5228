import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { startDatabaseProxy } from '../../scripts/kit/database-proxy.js';
import { newPlant } from '../../scripts/kit/plants.js';
import { OutcomeUnknownError } from '../../src/errors/database.js';
import { plantParts } from '../../src/parts.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { makeDatabase } from '../support/postgres/database.js';
import { storeOf } from '../support/service/store.js';

const dataRow = 'D'.charCodeAt(0);
const fields = 'SFATAL\0C08P01\0Mserver conn crashed?\0\0';

/** What pgbouncer 1.18 writes to a client if the connection to PostgreSQL breaks. */
function pgbouncersError(): Buffer {
  const head = Buffer.from('E----');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

/** @returns the answer without the last byte of its first row, and without what follows; undefined if it has none */
function cutInRow(answer: Buffer): Buffer | undefined {
  // A message is its type, and then its length without the type (PostgreSQL documentation, section 54.2).
  for (let at = 0; at < answer.length; at += 1 + answer.readInt32BE(at + 1))
    if (answer[at] === dataRow) return answer.subarray(0, at + answer.readInt32BE(at + 1));
  return undefined;
}

/** The tests' PostgreSQL on a network that breaks in the middle of a row if asked to. */
async function behindPooler(t: Test, databaseUrl: string) {
  const url = new URL((await startDatabaseProxy(t, databaseUrl)).url);
  const postgresPort = Number(url.port);
  const sockets: Socket[] = [];
  let breaks = false;
  const server = createServer((client) => {
    const postgres = connect(postgresPort, '127.0.0.1');
    for (const socket of [client, postgres]) sockets.push(socket.on('error', () => {}));
    client.pipe(postgres);
    postgres.on('end', () => client.end());
    postgres.on('data', (answer) => {
      const part = breaks ? cutInRow(answer) : undefined;
      if (part === undefined) client.write(answer);
      else {
        breaks = false;
        postgres.destroy();
        client.end(Buffer.concat([part, pgbouncersError()]));
      }
    });
  });
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // The server listens on TCP, so its address has this form.
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    breakNextRow() {
      breaks = true;
    },
  };
}

t.test(
  'if the answer to deletes breaks in a row, their outcome is unknown, and none runs again',
  async (t) => {
    const databaseUrl = await makeDatabase(t);
    await migrate(databaseUrl, plantParts.migrationFolders);
    const network = await behindPooler(t, databaseUrl);
    const database = new Database(network.url, () => {});
    t.teardown(() => database.close());
    const store = await storeOf(database);
    // The answer to a delete that is alone has no row.
    const ids = [1n, 2n];
    for (const id of ids) await store.create('owner', newPlant({ id, name: `plant ${id}` }));

    network.breakNextRow();
    const outcomes = await Promise.allSettled(ids.map((id) => store.delete('owner', id)));
    t.match(
      outcomes,
      ids.map(() => ({ status: 'rejected', reason: { name: OutcomeUnknownError.name } })),
    );
    t.strictSame(await store.list('owner'), [], 'they were done');
  },
);
