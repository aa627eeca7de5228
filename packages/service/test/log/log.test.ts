import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import pg from 'pg';
import t from 'tap';
import { untilLocked } from '../../../kit/postgres.js';
import { spawnServer, until } from '../../../kit/testing.js';
import { TokenStore } from '../../src/access/token-store.js';
import { DatabaseUnavailableError } from '../../src/errors/database.js';
import { makeLog, terminalOn, toggleDebug } from '../../src/log/log.js';
import { forTerminal } from '../../src/log/terminal.js';
import { insertPlants, newPlantText } from '../support/plants.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';

/** The log lines about the end of a request. */
function answersIn(log: string) {
  return log
    .split('\n')
    .filter((line) => /"msg":"(?:answered|answered in part|unanswered)"/.test(line))
    .map((line): { req: { id: string; [member: string]: unknown } } => JSON.parse(line));
}

const load = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** Fails the start of a server that loads pino-pretty. */
const refusePretty = `import { register } from 'node:module'; register(${JSON.stringify(
  load(`export async function resolve(name, context, next) {
    if (name === 'pino-pretty') throw new Error('loaded for nothing');
    return next(name, context);
  }`),
)});`;

t.test('the log of a server', async (t) => {
  const url = await makeDatabase(t);
  const server = await spawnServer(
    t,
    { DATABASE_URL: url, TRUST_PROXY: '127.0.0.1' },
    { options: ['--import', load(refusePretty)] },
  );
  const database = openDatabase(t, url);
  const token = await new TokenStore(database).issue('owner');
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  t.teardown(() => holder.end());
  /** Begins a log for one test; what it returns reads that log. */
  const logFromNow = () => {
    const before = server.stdout().length;
    return () => server.stdout().slice(before);
  };

  t.test('a server whose stdout is not a terminal does not load pino-pretty', async (t) => {
    await until('it logs', () => server.stdout().includes('\n'));
    for (const line of server.stdout().trimEnd().split('\n')) t.match(JSON.parse(line), { level: 30 });
  });

  t.test('each line names the owner, the ids of the caller and the bytes of the answer', async (t) => {
    const log = logFromNow();
    await database.query({
      text: insertPlants("SELECT 'owner', id, 'Grüner Baum' FROM generate_series(1, 1000) AS id"),
    });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const ask = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(server.address + path, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      return (await answer.arrayBuffer()).byteLength;
    };
    const sent = [
      await ask('/plants', { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-request-id': 'a-1.b:2' }),
      await ask('/plants?limit=2', { traceparent: `00-${traceId}`, 'x-request-id': 'a "b' }),
      await ask('/plants?limit=x', { traceparent: 'x'.repeat(9), 'x-request-id': 'x'.repeat(101) }),
      await ask('/plants?limit=3', { 'x-request-id': token }),
    ];
    await until('they are logged', () => answersIn(log()).length === sent.length);
    const [long, short, refused, secret] = answersIn(log());
    t.match(long, { req: { owner: 'owner', traceId, requestId: 'a-1.b:2' }, res: { bytes: sent[0] } });
    t.match(short, { req: { owner: 'owner' }, res: { bytes: sent[1] } });
    t.match(refused, { req: { owner: 'owner' }, res: { statusCode: 400, bytes: sent[2] } });
    for (const line of [short, refused, secret]) t.notMatch(JSON.stringify(line), /traceId|requestId/);
  });

  t.test('a log line has the route and plain parameters, and no text of the URL', async (t) => {
    const log = logFromNow();
    const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';
    const secrets = [
      token,
      token.replace('_', '%2570'),
      token.replace('_', '_+'),
      `${jwt.slice(0, 3)}%20${jwt}`,
    ];
    secrets.push(...(['base64url', 'hex'] as const).map((encoding) => Buffer.from(token).toString(encoding)));
    const asked = secrets.flatMap(
      (secret) =>
        [
          ['GET', `/plants?limit=2&access_token=${secret}`, { route: '/plants', parameters: { limit: '2' } }],
          ['DELETE', `/plants/${secret}`, { route: '/plants/:id' }],
          ['PUT', `/plants/${secret}`, { route: '/plants/:id' }],
          ['GET', `/${secret}?${secret}`, { pathLength: 1 + secret.length }],
          ['GET', `/${secret}/%ZZ`, { pathLength: 5 + secret.length }],
          ['GET', `/live?${secret}`, { route: '/live' }],
        ] as const,
    );
    for (const [method, path] of asked) await server.call(method, path, { token });
    const plain = [
      ['GET', '/plants?limit=2', { route: '/plants', parameters: { limit: '2' } }],
      ['DELETE', '/plants/-7', { route: '/plants/:id', parameters: { id: '-7' } }],
    ] as const;
    for (const [method, path] of plain) await server.call(method, path, { token });
    const all = [...asked, ...plain];
    await until('they are logged', () => answersIn(log()).length === all.length);
    for (const [index, { req }] of answersIn(log()).entries()) {
      const { id: _, ip, owner: __, ...target } = req;
      const [method, path, expected] = all[index] ?? [];
      t.strictSame({ ip, ...target }, { ip: '127.0.0.1', method, ...expected }, `${method} ${path}`);
    }
  });

  t.test('a log line has an address only if it is one', async (t) => {
    const log = logFromNow();
    for (const sent of ['2001:db8::7', 'fe80::7%plant_7', 'plant_7', 'x'.repeat(15_000)])
      await server.call('GET', '/nothing', { headers: { 'x-forwarded-for': sent } });
    await until('they are logged', () => answersIn(log()).length === 4);
    t.strictSame(
      answersIn(log()).map(({ req }) => req['ip']),
      ['2001:db8::7', 'fe80::7', undefined, undefined],
    );
  });

  t.test('the log gives the duration of a request to a thousandth of a millisecond', async (t) => {
    const log = logFromNow();
    await server.call('GET', '/plants', { token });
    await until('it is logged', () => log().includes('"answered"'));
    t.match(log(), /"milliseconds":\d+(\.\d{1,3})?[,}]/);
  });

  t.test('a request whose client leaves before the answer has one log line', async (t) => {
    const log = logFromNow();
    /** Has the client leave while the request waits for a table lock, and returns the log line. */
    const lineOf = async ([method, path, body]: readonly string[]) => {
      const before = answersIn(log()).length;
      await holder.query('BEGIN; LOCK TABLE plants');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const asked = request(`${server.address}${path}`, { agent: false, headers, method });
      const [socket]: Socket[] = await once(asked.on('error', () => {}).end(body), 'socket');
      await untilLocked(url, 1, once(asked, 'response'));
      socket?.resetAndDestroy();
      const line = await until('it is logged', () => answersIn(log())[before]);
      await holder.query('COMMIT');
      return line;
    };
    const create = ['POST', '/plants', newPlantText({ id: 1_001, name: 'c' })];
    for (const asked of [create, ['DELETE', '/plants/1'], ['GET', '/plants']]) {
      const line = await lineOf(asked);
      const [method, path] = asked;
      const route = path === '/plants' ? path : '/plants/:id';
      t.match(line, { level: 30, msg: 'unanswered', req: { method, route, ip: '127.0.0.1' } });
      t.notOk('res' in line, 'without a status, for it had none');
    }
  });

  t.test('the log line of a failure names its request', async (t) => {
    const log = logFromNow();
    await database.query({ text: 'ALTER TABLE plants RENAME TO gone' });
    t.equal((await server.call('GET', '/plants?limit=3', { token })).status, 503);
    await database.query({ text: 'ALTER TABLE gone RENAME TO plants' });
    await until('it is logged', () => log().includes('"answered"'));
    const lines = log().trim().split('\n');
    const [failure, answer] = lines.slice(-2).map((line) => JSON.parse(line));
    t.match(failure, {
      msg: 'not available',
      req: { route: '/plants', parameters: { limit: '3' } },
      err: { cause: { code: '42P01' } },
    });
    t.equal(failure.req.id, answer.req.id);
  });

  t.test('an answer that breaks off midway has a log line', async (t) => {
    const log = logFromNow();
    // 15 MB, more than the kernel buffers for a connection that nobody reads (list-readers.minutes.test.ts).
    await database.query({
      text: insertPlants("SELECT 'owner', id, repeat('x', 250) FROM generate_series(2000, 62000) AS id"),
    });
    const begin = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const request = get(`${server.address}/plants`, { agent: false, headers });
      const [answer]: IncomingMessage[] = await once(request, 'response');
      if (answer === undefined) throw new Error('There is no answer.');
      return { request, answer };
    };
    const line = async (message: string) => {
      await until('it is logged', () => log().includes(message));
      const text = log()
        .split('\n')
        .find((candidate) => candidate.includes(message));
      return JSON.parse(text ?? '');
    };

    const { request } = await begin();
    request.destroy();
    const left = await line('"answered in part"');
    t.match(left, { level: 30, req: { method: 'GET', route: '/plants' }, res: { statusCode: 200 } });
    t.notMatch(log(), '"level":50');

    const { answer } = await begin();
    // Before the table is gone: an answer without a listener loses its error.
    const broken = t.rejects(once(answer, 'end'), { code: 'ECONNRESET' });
    await database.query({ text: 'ALTER TABLE plants RENAME TO gone' });
    answer.resume();
    await broken;
    await database.query({ text: 'ALTER TABLE gone RENAME TO plants' });
    t.match(await line('the answer broke off'), {
      level: 50,
      req: { method: 'GET', route: '/plants' },
      err: { cause: { code: '42P01' } },
    });
    await until('its end is logged', () => log().split('"answered in part"').length === 3);
  });

  t.test('every answer has a log line, including the last one before the process ends', async (t) => {
    const log = logFromNow();
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      // Without an agent, the connection ends with the answer, and Node.js forgets the socket's address.
      const request = get(`${server.address}${path}`, { agent: false, headers });
      const [answer]: IncomingMessage[] = await once(request, 'response');
      return answer?.resume().statusCode;
    };
    t.equal(await ask('/plants?limit=1'), 200);
    t.equal(await ask('/nothing'), 404);
    // The router cannot decode this path, so no hook is called.
    t.equal(await ask('/%ZZ'), 400);

    // A request that is answered after the shutdown has begun.
    await holder.query('BEGIN; LOCK TABLE plants');
    const last = ask('/plants?limit=2');
    await untilLocked(url);
    server.child.kill('SIGTERM');
    await until('the end has begun', () => server.stdout().includes('"msg":"ending"'));
    await holder.query('COMMIT');
    t.equal(await last, 200);
    t.equal(await server.ended, 0);
    const ids = answersIn(server.stdout()).map(({ req }) => req.id);
    t.equal(new Set(ids).size, ids.length, 'no request of any of these tests has two lines');
    t.match(answersIn(log()), [
      { req: { method: 'GET', parameters: { limit: '1' }, ip: '127.0.0.1' }, res: { statusCode: 200 } },
      { req: { method: 'GET', pathLength: 8, ip: '127.0.0.1' }, res: { statusCode: 404 } },
      { req: { method: 'GET', pathLength: 4, ip: '127.0.0.1' }, res: { statusCode: 400 } },
      { req: { method: 'GET', parameters: { limit: '2' }, ip: '127.0.0.1' }, res: { statusCode: 200 } },
    ]);
  });
});

t.test('SIGUSR2 changes the level of the log to debug, and back', async (t) => {
  const server = await spawnServer(t, { DATABASE_URL: await makeDatabase(t), LOG_LEVEL: 'warn' });
  await server.call('GET', '/1');
  server.child.kill('SIGUSR2');
  await until('it says so', () => server.stdout().includes('the level of the log is debug'));
  await server.call('GET', '/22');
  await until('the request is logged', () => server.stdout().includes('"pathLength":3'));
  server.child.kill('SIGUSR2');
  await until('it says so', () => server.stdout().includes('the level of the log is warn again'));
  await server.call('GET', '/1');
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.notMatch(server.stdout(), '"pathLength":2');
});

t.test('the level changes in the process, too', async (t) => {
  const texts: string[] = [];
  const log = makeLog('error', { write: (text) => texts.push(text) });
  toggleDebug(log, 'error');
  log.debug('seen');
  toggleDebug(log, 'error');
  log.warn('unseen');
  t.match(texts.join(''), /is debug.*\n.*seen.*\n.*is error again.*\n$/);
});

t.test('on a terminal, log lines are readable and contain no control characters', async (t) => {
  const texts: string[] = [];
  const log = makeLog('info', forTerminal({ write: (text) => texts.push(text) }));
  log.info({ asked: { method: 'GET' } }, 'first');
  log.error(new Error('its message, \u001b[31mred\u009b32m'), 'second\u0007');
  const text = texts.join('');
  t.match(
    text,
    /^\[\d\d:\d\d:\d\d\.\d+\] INFO: first \{"asked":\{"method":"GET"\}\}\n\[.+\] ERROR: second\ufffd ?\n/,
  );
  t.match(text, 'its message, \ufffd[31mred\ufffd32m');
  t.match(text, /\n +at .*log\.test/, 'the stack on lines of its own');
  t.notMatch(text, /(?!\n)\p{Cc}/u);
});

t.test('on a terminal, an outage is one line for each reason, without a stack', async (t) => {
  const texts: string[] = [];
  const log = makeLog('info', forTerminal({ write: (text) => texts.push(text) }));
  const fail = (cause: Error) =>
    log.warn({ err: new DatabaseUnavailableError(cause), leftOut: 30 }, 'not available');
  for (let second = 0; second < 3; second++) fail(new Error('connect ECONNREFUSED'));
  for (let second = 0; second < 3; second++) fail(new Error('too many clients'));
  log.warn({ err: 'no error' }, 'and others');
  const lines = texts
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\[.+?\] /, ''));
  t.strictSame(lines, [
    'WARN: not available: The database is not available: connect ECONNREFUSED.',
    'WARN: not available: The database is not available: too many clients.',
    'WARN: and others: no error',
  ]);
});

t.test('a server whose stdout is a terminal logs lines for a person', async (t) => {
  // Only makes the program believe in a terminal: a real one would need another tool.
  const fake = `import tty from 'node:tty'; import { syncBuiltinESMExports } from 'node:module';
    tty.isatty = (descriptor) => descriptor === 1; syncBuiltinESMExports();`;
  const options = { options: ['--import', load(fake)] };
  const server = await spawnServer(
    t,
    { DATABASE_URL: await makeDatabase(t), ADMIN_PORT: '0', NO_COLOR: '1', FORCE_COLOR: undefined },
    options,
  );
  await server.call('GET', '/nothing?a=1');
  await until('it is logged', () => server.stdout().includes('answered'));
  t.match(server.stdout(), /^\[.+\] INFO: answered: GET unknown path of 8 characters 404 \([\d.]+ ms\)$/m);
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.match(server.stdout(), /^\[.+\] INFO: ending\n$/m, 'to the last line');
  t.match(server.stderr(), /^ {2}admin {2}http:\/\/127\.0\.0\.1:\d+\/metrics$/m);
  t.notMatch(server.stdout(), /^\{/m);
});

t.test('a terminal that has closed takes lines, and loses them', async (t) => {
  t.doesNotThrow(() => terminalOn(2 ** 20).write('nobody reads this\n'));
});
