import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { fastify } from 'fastify';
import t, { type Test } from 'tap';
import type { AnyAnswer } from '../../src/contract/handlers.js';
import { InvalidRequestError } from '../../src/contract/request/request-errors.js';
import { contractRoutes } from '../../src/contract/routes.js';
import { contractOf, documentOf, type Served, serve } from '../support/contract/contract.js';

const item =
  '{ type: object, required: [id], properties: { id: { type: integer, format: int64 }, name: { type: string } } }';

const yaml = documentOf(`
  /answer:
    get:
      operationId: answer
      responses:
        200:
          description: Items.
          headers: { X-Total: { schema: { type: integer, format: int32 } } }
          content: { application/json: { schema: { type: array, items: ${item} } } }
        201: { description: One., content: { application/json: { schema: ${item} } } }
        202: { description: Text., content: { application/json: { schema: { type: string, nullable: true } } } }
        203: { description: A truth., content: { application/json: { schema: { type: boolean } } } }
        204: { description: Nothing. }
        404: { description: Not there. }`);
let remaining: Iterator<() => AnyAnswer>;
const served = await serve(t, yaml, {
  handlers: {
    answer: async () => {
      const next = remaining.next();
      if (next.done) throw new Error('One request too many.');
      return next.value();
    },
  },
});

/** The server with one operation, `GET /answer`, whose handler will give these answers in turn. */
function answering(...answers: readonly (() => AnyAnswer)[]): Served {
  remaining = answers.values();
  return served;
}

async function* pagesOf(...pages: readonly (readonly unknown[])[]): AsyncGenerator<readonly unknown[]> {
  for (const page of pages) {
    await setImmediate();
    yield page;
  }
}

/** Items for pages of some 100 KiB. */
const large = Array.from({ length: 1000 }, (_, index) => ({ id: BigInt(index), name: 'x'.repeat(100) }));

/** A promise with its resolve function. Node.js 20 has no Promise.withResolvers. */
function signal(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

const asks = 'GET /answer HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n';

function connect(t: Test, port: number): Socket {
  const socket = createConnection({ host: '127.0.0.1', port });
  t.teardown(() => socket.destroy());
  return socket;
}

t.test('an answer has its status, its documented headers and its body', async (t) => {
  const { call } = answering(() => ({
    status: 200,
    headers: { 'X-Total': 2 },
    body: [{ id: 1n }, { id: 9007199254740993n, name: 'a' }],
  }));
  const { status, headers, text } = await call('GET', '/answer');
  t.equal(status, 200);
  t.equal(headers.get('x-total'), '2');
  t.match(headers.get('content-type'), /^application\/json(; charset=utf-8)?$/);
  t.equal(text, '[{"id":1},{"id":9007199254740993,"name":"a"}]');
});

t.test('an array has the same media type, whether it is sent whole or in pages', async (t) => {
  const { call } = answering(
    () => ({ status: 200, body: [{ id: 1n }] }),
    () => ({ status: 200, body: pagesOf([{ id: 1n }], [{ id: 2n }]) }),
  );
  const whole = await call('GET', '/answer');
  const inPages = await call('GET', '/answer');
  t.equal(inPages.text, '[{"id":1},{"id":2}]');
  t.equal(inPages.headers.get('content-type'), whole.headers.get('content-type'));
});

t.test('members that the schema does not name are left out of the answer', async (t) => {
  const { call } = answering(() => ({ status: 201, body: { id: 1n, secret: 'x' } }));
  t.equal((await call('GET', '/answer')).text, '{"id":1}');
});

t.test('the body of an answer may be any JSON value', async (t) => {
  const cases = [
    [202, 'a "b"', '"a \\"b\\""'],
    [202, '', '""'],
    [202, null, 'null'],
    [203, false, 'false'],
    [200, [], '[]'],
  ] as const;
  const { call } = answering(
    ...cases.map(([status, body]) => () => ({ status, body })),
  );
  for (const [, , text] of cases) {
    const answer = await call('GET', '/answer');
    t.equal(answer.text, text);
    t.equal(answer.headers.get('content-length'), String(text.length));
  }
});

t.test('an answer without a body has neither a body nor a Content-Type', async (t) => {
  const cases = [
    [204, null],
    [404, '0'],
  ] as const;
  const { call } = answering(
    ...cases.map(([status]) => () => ({ status })),
  );
  for (const [status, length] of cases) {
    const { headers, text, ...answer } = await call('GET', '/answer');
    t.equal(answer.status, status);
    t.equal(text, '');
    t.equal(headers.get('content-type'), null);
    t.equal(headers.get('content-length'), length);
  }
});

t.test('an answer with a body that the contract does not document is a 500', async (t) => {
  const bodies = [{ a: 1 }, pagesOf([1])];
  const { call } = answering(...bodies.map((body) => () => ({ status: 204, body })));
  for (const _ of bodies) {
    const { status, text } = await call('GET', '/answer');
    t.equal(status, 500);
    t.equal(text, 'The status 204 has no body in the contract.');
  }
});

t.test("an answer whose body does not fit its schema is a 500 without the handler's headers", async (t) => {
  const bodies = [[{ name: 'no id' }], pagesOf([{ name: 'no id' }])];
  const headers = { 'X-Total': 1 };
  const { call } = answering(...bodies.map((body) => () => ({ status: 200, headers, body })));
  for (const _ of bodies) {
    const { status, headers, text } = await call('GET', '/answer');
    t.equal(status, 500);
    t.equal(text, '"id" is required!');
    t.equal(headers.get('x-total'), null);
  }
});

t.test('an answer with a header value that HTTP does not allow is a 500', async (t) => {
  const cases = [
    [{ 'X-Total': 'a\r\nSet-Cookie: b' }, 'Invalid character in header content'],
    [{ 'X-Total': '\0' }, 'Invalid character in header content'],
    [{ 'X-Total': '€' }, 'Invalid character in header content'],
    [{ 'X-Good': 1, 'X Total': 2 }, 'Header name must be a valid HTTP token'],
  ] as const;
  const { call } = answering(
    ...cases.map(([headers]) => () => ({ status: 204, headers })),
  );
  for (const [, message] of cases) {
    const { status, headers, text } = await call('GET', '/answer');
    t.equal(status, 500);
    t.match(text, message);
    t.equal(headers.get('set-cookie'), null);
    t.equal(headers.get('x-good'), null);
  }
});

t.test('an answer uses the body and media type of its status, its range or the default', async (t) => {
  const body = (type: string, member: string) =>
    `content: { ${type}: { schema: { type: object, required: [${member}], properties: { ${member}: { type: string } } } } }`;
  const yaml = documentOf(`
  /answer:
    get:
      operationId: answer
      responses:
        201: { description: Made., ${body('application/json', 'own')} }
        2XX: { description: Done., ${body('application/done+json', 'range')} }
        404: { description: Not there. }
        default: { description: Others., ${body('application/problem+json', 'rest')} }`);
  const all = { own: 'a', range: 'b', rest: 'c' };
  const cases = [
    [201, 'application/json', { own: 'a' }],
    [202, 'application/done+json', { range: 'b' }],
    [418, 'application/problem+json', { rest: 'c' }],
    [404, undefined, undefined],
  ] as const;
  const answers = cases.map(([status, , body]) => ({ status, ...(body && { body: all }) })).values();
  const { call } = await serve(t, yaml, {
    handlers: { answer: async () => answers.next().value as AnyAnswer },
  });
  for (const [status, mediaType, body] of cases) {
    const answer = await call('GET', '/answer');
    t.equal(answer.status, status);
    t.equal(answer.text, body === undefined ? '' : JSON.stringify(body));
    t.equal(
      answer.headers.get('content-type'),
      mediaType === undefined ? null : `${mediaType}; charset=utf-8`,
    );
  }
});

t.test('the start logs no warning about the media types of answers', async (t) => {
  const contract = await contractOf(
    t,
    documentOf(`
  /answer:
    get:
      operationId: answer
      responses:
        204: { description: Nothing. }
        default: { description: A problem., content: { application/problem+json: { schema: { type: object } } } }`),
  );
  const lines: string[] = [];
  const app = fastify({ logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } } });
  t.teardown(() => app.close());
  const handlers = { answer: async () => ({ status: 204 }) };
  await app.register(contractRoutes, { contract, handlers, security: {} });
  await app.ready();
  t.strictSame(lines, []);
});

t.test('an exception in a handler reaches the error handler', async (t) => {
  const { call } = answering(() => {
    throw new InvalidRequestError('Not this one.');
  });
  const { status, text } = await call('GET', '/answer');
  t.equal(status, 400);
  t.equal(text, 'Not this one.');
});

t.test('an array in pages is serialized as the whole array would be', async (t) => {
  const [one, two, three] = [{ id: 1n }, { id: 2n, name: 'b' }, { id: 9007199254740993n }];
  const cases = [
    [[], '[]'],
    [[[]], '[]'],
    [[[], []], '[]'],
    [[[one]], '[{"id":1}]'],
    [[[one, two], [three]], '[{"id":1},{"id":2,"name":"b"},{"id":9007199254740993}]'],
    [[[], [one], [], [], [two], []], '[{"id":1},{"id":2,"name":"b"}]'],
  ] as const;
  const headers = { 'X-Total': 3 };
  const { call } = answering(
    ...cases.map(([pages]) => () => ({ status: 200, headers, body: pagesOf(...pages) })),
  );
  for (const [, text] of cases) {
    const answer = await call('GET', '/answer');
    t.equal(answer.status, 200);
    t.equal(answer.text, text);
    t.match(answer.headers.get('content-type'), /^application\/json/);
    t.equal(answer.headers.get('x-total'), '3');
  }
});

t.test('an array of many large pages arrives complete', async (t) => {
  const pages = Array.from({ length: 50 }, () => large);
  const { call } = answering(() => ({ status: 200, body: pagesOf(...pages) }));
  const items: unknown = JSON.parse((await call('GET', '/answer')).text);
  t.ok(Array.isArray(items) && items.length === 50_000);
});

t.test("a failure before the first page is a 500 without the handler's headers", async (t) => {
  async function* failing(): AsyncGenerator<readonly unknown[]> {
    yield [];
    throw new InvalidRequestError('No page.');
  }
  const { call } = answering(() => ({ status: 200, headers: { 'X-Total': 9 }, body: failing() }));
  const { status, headers, text } = await call('GET', '/answer');
  t.equal(status, 400);
  t.equal(text, 'No page.');
  t.equal(headers.get('x-total'), null);
});

t.test('a failure after the first page cuts the transfer off', async (t) => {
  const received = signal();
  async function* failing(): AsyncGenerator<readonly unknown[]> {
    yield [{ id: 1n }];
    await received.promise;
    throw new Error('The second page is lost.');
  }
  const { port } = answering(() => ({ status: 200, body: failing() }));
  const socket = connect(t, port);
  // The connection ends or is reset; either way, it is over.
  socket.on('error', () => {});
  socket.write(asks);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
    if (text.includes('{"id":1}')) received.resolve();
  });
  await new Promise((resolve) => socket.once('close', resolve));
  t.match(text, /^HTTP\/1.1 200[\s\S]*\[\{"id":1\}/);
  t.notMatch(text, /\r\n0\r\n/, 'no last chunk');
  t.notMatch(text, ']', 'and no end of the array');
});

/** Endless pages that count the requests for them, and tell when the iteration is ended. */
function endless(): { pages: AsyncIterable<readonly unknown[]>; pulled(): number; ended: Promise<void> } {
  const end = signal();
  let pulled = 0;
  async function* pages(): AsyncGenerator<readonly unknown[]> {
    try {
      for (;;) {
        await setImmediate();
        pulled++;
        yield large;
      }
    } finally {
      end.resolve();
    }
  }
  return { pages: pages(), pulled: () => pulled, ended: end.promise };
}

t.test('pages are pulled only as fast as they are read, and no more once the reader is gone', async (t) => {
  const { pages, pulled, ended } = endless();
  const { port } = answering(() => ({ status: 200, body: pages }));
  const socket = connect(t, port);
  socket.pause();
  socket.write(asks);
  // The buffers of both ends are full if many event loop ticks pass without another page.
  let [before, quiet] = [0, 0];
  while (quiet < 1000) {
    quiet = before === pulled() && before > 0 ? quiet + 1 : 0;
    before = pulled();
    await setImmediate();
  }
  t.ok(before < 1000, `${before} pages of 100 KiB are in the buffers`);
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  while (pulled() < before + 50) await once(socket, 'data');
  t.ok(bytes > 0, 'it goes on where it is read');
  socket.destroy();
  await ended;
  t.pass('the iteration has ended');
});

t.test('the iteration over pages also ends if the reader leaves before the first page', async (t) => {
  const [asked, gone, ended] = [signal(), signal(), signal()];
  async function* pages(): AsyncGenerator<readonly unknown[]> {
    try {
      asked.resolve();
      await gone.promise;
      for (;;) yield large;
    } finally {
      ended.resolve();
    }
  }
  const { app, port } = answering(() => ({ status: 200, body: pages() }));
  app.server.once('connection', (socket: Socket) => socket.once('close', () => gone.resolve()));
  const socket = connect(t, port);
  socket.write(asks);
  await asked.promise;
  socket.destroy();
  await ended.promise;
  t.pass('the iteration has ended');
});

t.test('an iterator of pages without a return method works', async (t) => {
  let left = 3;
  const iterator: AsyncIterator<readonly unknown[]> = {
    next: async () =>
      left-- > 0 ? { done: false, value: [{ id: BigInt(left) }] } : { done: true, value: undefined },
  };
  const { call } = answering(() => ({
    status: 200,
    body: { [Symbol.asyncIterator]: () => iterator },
  }));
  t.equal((await call('GET', '/answer')).text, '[{"id":2},{"id":1},{"id":0}]');
});
