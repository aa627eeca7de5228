import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { serveIn } from '../../src/base/serve.js';
import { Exchange } from '../../src/check/requests/exchange.js';

/** How long a server waits for another request while it reads one: many times as long as one takes. */
const maxTurns = 200;

t.test('a request that others always overtake is answered all the same', async (t) => {
  let reads = 0;
  const server = createServer(async (request, response) => {
    await request.toArray();
    const before = reads;
    if (request.method === 'GET') reads++;
    else for (let turns = 0; turns < maxTurns && reads === before; turns++) await turn();
    const isOvertaken = request.method !== 'GET' && reads > before;
    response.writeHead(isOvertaken ? 429 : 200, isOvertaken ? { 'retry-after': '0' } : {}).end();
  });
  const url = new URL(await serveIn(t, server));
  const { signal } = new AbortController();
  const exchange = new Exchange({ url, connections: 4, signal, onSurplus: () => {} });
  t.teardown(() => exchange.close());
  const read = { method: 'GET', target: '/', headers: [] };
  let isOver = false;
  const others = ['second', 'third', 'fourth'].map(async () => {
    while (!isOver) await exchange.send(read);
  });
  const body = Buffer.from('abc');
  const answer = await exchange.send({ method: 'POST', target: '/', headers: [], body, chunks: [1, 2] });
  isOver = true;
  await Promise.all(others);
  t.match(answer, { status: 200 });
});
