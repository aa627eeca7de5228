/** The network that other tests and `npm run survive` use, and what it does to two programs. */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { portOf } from '../../contract-tools/base.js';
import { delayMs, TcpProxy } from '../src/tcp-proxy.js';
import { until } from '../src/testing/process.js';

/** A server that sends back what it receives, and a network before it. */
async function startNetwork(t: Test): Promise<TcpProxy> {
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  t.teardown(() => echo.close());
  // A server that listens on TCP has such an address.
  const port = portOf(echo);
  return TcpProxy.start(t, () => ({ host: '127.0.0.1', port }));
}

interface Client {
  readonly socket: Socket;
  received(): string;
  /** The code of the error that ended the connection; undefined if there was none. */
  failure(): string | undefined;
}

function open(t: Test, { port }: TcpProxy): Client {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  let failure: string | undefined;
  socket.on('data', (text) => {
    received += text;
  });
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    failure = code;
  });
  t.teardown(() => socket.destroy());
  return { socket, received: () => received, failure: () => failure };
}

/** A connection that has carried something both ways. */
async function openUsed(t: Test, network: TcpProxy): Promise<Client> {
  const client = open(t, network);
  client.socket.write('first ');
  await until('it comes back', () => client.received() === 'first ');
  return client;
}

/** While another network carries something both ways, the one in question has the time to do so, too. */
const carryElsewhere = async (t: Test) => openUsed(t, await startNetwork(t));

t.test(
  'what is sent while the network is silent arrives afterwards, on old and new connections',
  async (t) => {
    const network = await startNetwork(t);
    const old = await openUsed(t, network);
    network.begin('silence');
    const young = open(t, network);
    for (const { socket } of [old, young]) socket.write('second');
    await carryElsewhere(t);
    t.strictSame([old.received(), young.received()], ['first ', '']);
    network.clearUp();
    await until('both come back', () => old.received() === 'first second' && young.received() === 'second');
  },
);

t.test('connections that were silenced stay so, and new ones are served', async (t) => {
  const network = await startNetwork(t);
  const old = await openUsed(t, network);
  network.silence();
  old.socket.write('second');
  await openUsed(t, network);
  t.equal(old.received(), 'first ');
});

t.test('a network that refuses new connections carries on the old ones', async (t) => {
  const network = await startNetwork(t);
  const old = await openUsed(t, network);
  network.refuse();
  const young = open(t, network);
  await until('it is refused', () => young.failure() === 'ECONNREFUSED');
  old.socket.write('second');
  await until('it comes back', () => old.received() === 'first second');
});

t.test('a network that resets takes no connection until it clears up', async (t) => {
  const network = await startNetwork(t);
  const old = await openUsed(t, network);
  network.begin('reset');
  const young = open(t, network);
  await until('both are reset', () => [old, young].every((one) => one.failure() === 'ECONNRESET'));
  network.clearUp();
  await openUsed(t, network);
});

t.test('half of what comes arrives, and then the connection is reset', async (t) => {
  const network = await startNetwork(t);
  // One has its requests cut, and the other its answers.
  const clients = [await openUsed(t, network), await openUsed(t, network)];
  network.begin('halve');
  for (const { socket } of clients) socket.write('second');
  await until('both are reset', () => clients.every((one) => one.socket.destroyed));
  for (const { received } of clients) t.match(received(), /^first (?:sec)?$/);
});

t.test('what is lost never arrives, and the connection ends', async (t) => {
  const network = await startNetwork(t);
  const client = await openUsed(t, network);
  network.begin('drop');
  client.socket.write('second');
  await carryElsewhere(t);
  network.clearUp();
  await until('it is reset', () => client.failure() === 'ECONNRESET');
  t.equal(client.received(), 'first ');
});

t.test('what is delayed arrives later, in its order, and so does what is sent after it', async (t) => {
  const network = await startNetwork(t);
  const client = await openUsed(t, network);
  network.begin('delay');
  const begin = performance.now();
  client.socket.write('second ');
  await until('the first comes back', () => client.received() === 'first second ');
  t.ok(performance.now() - begin >= 2 * (delayMs - 1), 'later by the delay of both ways');
  client.socket.write('third ');
  network.clearUp();
  client.socket.write('fourth');
  await until('all comes back', () => client.received() === 'first second third fourth');
});

t.test('more than the buffers hold passes whole, although nobody reads it at first', async (t) => {
  const network = await startNetwork(t);
  const { socket, received } = open(t, network);
  socket.pause();
  const sent = 'x'.repeat(2 ** 25);
  socket.end(sent);
  await openUsed(t, network);
  socket.resume();
  await once(socket, 'end');
  t.equal(received().length, sent.length);
});
