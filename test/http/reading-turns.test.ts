import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import t from 'tap';
import { watchOpenConnections } from '../../src/http/open-connections.js';
import { readInTurns } from '../../src/http/reading-turns.js';
import { until } from '../support/process.js';

t.test('beside many connections of an owner, one of another is read among the first', async (t) => {
  const app = fastify({ keepAliveTimeout: 0 });
  readInTurns(app, watchOpenConnections(app.server));
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  app.decorateRequest('caller', undefined);
  app.get('/:caller/:turn', (request, reply) => {
    const { caller, turn } = request.params as Record<'caller' | 'turn', string>;
    request.caller = caller;
    asked.push(`${caller} ${turn}`);
    if (turn === '1') answers.push(() => reply.send(''));
    else reply.send('');
  });
  await app.listen();
  t.teardown(() => app.close());

  const { port } = app.server.address() as AddressInfo;
  const callers = [...Array<string>(100).fill('greedy'), 'quiet'];
  const sockets = callers.map((caller) => ({ caller, socket: connect(port).resume() }));
  t.teardown(() => {
    for (const { socket } of sockets) socket.destroy();
  });
  await Promise.all(sockets.map(({ socket }) => once(socket, 'connect')));
  const ask = (turn: number) => {
    for (const { caller, socket } of sockets)
      socket.write(`GET /${caller}/${turn} HTTP/1.1\r\nHost: x\r\n\r\n`);
  };
  ask(1);
  await until('all have asked', () => answers.length === callers.length);
  // All are answered, and ask again, before the event loop reads on.
  for (const answer of answers) answer();
  ask(2);
  await until('all have asked again', () => asked.length === 2 * callers.length);
  const again = asked.slice(callers.length);
  t.ok(again.indexOf('quiet 2') < 32, `${again.indexOf('quiet 2')} before it`);
  t.equal(again.filter((one) => one === 'greedy 2').length, 100, 'the others follow');
});

t.test('few connections are read at once', async (t) => {
  const app = fastify();
  readInTurns(app, watchOpenConnections(app.server));
  app.get('/', () => '');
  const address = await app.listen();
  t.teardown(() => app.close());
  for (let count = 0; count < 3; count++) t.equal((await fetch(address)).status, 200);
});
