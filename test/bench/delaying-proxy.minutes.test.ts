import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import pg from 'pg';
import t, { type Test } from 'tap';
import { Server } from '../../scripts/kit/server.js';
import { openTestCluster } from '../../scripts/test/cluster.js';
import { uncountedNode } from '../support/programs/command.js';

const delayMs = 50;

/** @returns the URL through it */
async function startProxy(t: Test, url: string): Promise<string> {
  const [file, ...parameters] = uncountedNode;
  const program = ['--import', 'tsx', 'scripts/lab/bench/network/delaying-proxy.ts', String(delayMs)];
  return (await Server.start(t, { file, parameters: [...parameters, ...program] }, url)).address;
}

t.test('a query through the delaying proxy takes as long as asked', async (t) => {
  const { url } = await openTestCluster();
  const client = new pg.Client({ connectionString: await startProxy(t, url) });
  await client.connect();
  t.teardown(() => client.end());
  const begin = performance.now();
  for (let count = 0; count < 4; count++) await client.query('SELECT 1');
  const time = performance.now() - begin;
  t.ok(time >= 4 * (delayMs - 1), `4 queries took ${time} ms`);
});

t.test('the delaying proxy keeps bytes in order, and passes them on before an answer comes', async (t) => {
  const echo = createServer((socket) => socket.pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  t.teardown(() => echo.close());
  // A server that listens on TCP has such an address.
  const { port } = echo.address() as AddressInfo;
  const through = new URL(await startProxy(t, `postgresql://user@127.0.0.1:${port}/none`));
  const socket = connect(Number(through.port), through.hostname).setEncoding('latin1');
  let echoed = '';
  socket.on('data', (text) => {
    echoed += text;
  });
  // The first is more than one read can take.
  const messages = ['x'.repeat(1_000_000), ...Array.from({ length: 40 }, (_, number) => `<${number}>`)];
  const begin = performance.now();
  for (const message of messages) await new Promise((resolve) => socket.write(message, resolve));
  socket.end();
  await once(socket, 'end');
  const time = performance.now() - begin;
  t.ok(echoed === messages.join(''), 'all came back as it was sent');
  t.ok(time >= delayMs - 1, `it took ${time} ms`);
  t.ok(time < (messages.length * delayMs) / 2, `one after the other would take twice ${time} ms`);
});
