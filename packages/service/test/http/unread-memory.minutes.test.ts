import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import t from 'tap';
import { spawnServer, until } from '../../../kit/testing.js';
import { TokenStore } from '../../src/access/token-store.js';
import { Database } from '../../src/postgres/database.js';
import { plantMany } from '../support/many-plants.js';
import { makeDatabase } from '../support/postgres/database.js';

const skip = process.platform !== 'linux' && 'only Linux tells the memory of another process';

/** Megabytes: what Node.js takes in a memory cgroup of 512 MB (measured). With more memory, V8 collects later. */
const options = ['--max-heap-size=259'];

const connections = 20;

t.test(
  `the process stays below 512 MB beside ${connections} clients that read none of 400 lists`,
  { skip },
  async (t) => {
    const url = await makeDatabase(t);
    const server = await spawnServer(t, { DATABASE_URL: url, LOG_LEVEL: 'warn' }, { options });
    const database = new Database(url, () => {});
    const tokens = new TokenStore(database);
    const [token, other] = await Promise.all([tokens.issue('owner'), tokens.issue('other')]);
    await database.close();
    // An answer of 100 KB.
    await plantMany(url, 'owner', 100, '🌵'.repeat(240));
    const list = `GET /plants?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    for (let opened = 0; opened < connections; opened++) {
      const socket = connect(server.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      t.teardown(() => socket.destroy());
      socket.write(list.repeat(400));
    }
    // Others are served meanwhile. On a slow machine, this is a lasting overload (docs/batching.md).
    for (let round = 0; round < 100; round++)
      await until("another owner's list is answered", async () => {
        const { status, text } = await server.call('GET', '/plants?limit=1', { token: other });
        if (status !== 503) t.equal(status, 200);
        else t.match(text, 'The service is busy: try again later.');
        return status !== 503;
      });
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${server.pid}/status`, 'utf8')) ?? [];
    t.ok(Number(peak) < 512 * 1_024, `${peak} kB at most`);
  },
);
