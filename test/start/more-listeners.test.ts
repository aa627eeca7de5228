import { readFile } from 'node:fs/promises';
import t from 'tap';
import { makeDatabase } from '../support/database.js';
import { spawnServer } from '../support/server.js';

/** In the state LISTEN (Linux: include/net/tcp_states.h). */
async function listenersOn(port: number): Promise<number> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines.filter((line) => line.includes(local) && /^\s*\d+: \S+ \S+ 0A /.test(line)).length;
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canShare = major > 22 || (major === 22 && minor >= 12);
const skip = process.platform !== 'linux' && 'listeners share a port on Linux only';

t.test(
  'sixteen listeners accept connections if Node.js can share a port, and end with the service',
  { skip },
  async (t) => {
    const server = await spawnServer(t, { DATABASE_URL: await makeDatabase(t) });
    const { port } = server;
    t.equal(await listenersOn(port), canShare ? 16 : 1);
    // The kernel chooses the listener by the client's port.
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => server.call('GET', '/live', { headers: { connection: 'close' } })),
    );
    t.ok(answers.every(({ status }) => status === 200));
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    t.equal(await listenersOn(port), 0);
  },
);
