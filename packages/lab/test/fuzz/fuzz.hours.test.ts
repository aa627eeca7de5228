import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import t, { type Test } from 'tap';
import { UnreachableError } from '../../../contract-tools/base.js';
import { contractFile, Server, storeTokens } from '../../../kit/index.js';
import { runTypeScript, spawnServer } from '../../../kit/testing.js';
import { makeTables } from '../../../service/test/support/postgres/database.js';
import { judgeBy } from '../../src/fuzz/answers.js';
import { type FuzzOptions, type FuzzReport, fuzz } from '../../src/fuzz/fuzz.js';

const judge = await judgeBy(contractFile);

const linux = process.platform === 'linux';

/** Tries cases of seed 7 on a server that is not the service. */
function tryOn(url: string, options: Partial<FuzzOptions> = {}): Promise<FuzzReport> {
  return fuzz({
    url: new URL(url),
    token: 'a-token',
    seed: 7,
    seconds: 8,
    only: undefined,
    pid: undefined,
    ended: undefined,
    judge,
    closeTimeoutMs: 2_000,
    ...options,
  });
}

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  // Undocumented: answers a client that has ended its side.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkExpectation', listener);
  // The listener answers what Node.js cannot read in the contract's form, so that only the built-in fault is left.
  server.on('clientError', (_error, socket) => {
    const body = '{"error":400,"message":"No."}';
    if (socket.writable)
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('It does not listen.');
  return `http://127.0.0.1:${address.port}`;
}

t.test('the service has nothing to find', async (t) => {
  const url = await makeTables(t, '');
  // A process of its own: that of the tests keeps what is logged.
  const server = await spawnServer(t, { DATABASE_URL: url, LOG_LEVEL: 'error' });
  const [token = ''] = await storeTokens(url, 1);
  const { requests, findings } = await tryOn(server.address, { token, seconds: 5, closeTimeoutMs: 40_000 });
  t.ok(requests > 0);
  t.strictSame(findings, []);
  t.equal(server.stdout(), '', 'nothing is logged as an error');
});

t.test('the command starts the service itself', async (t) => {
  const { code, out, err } = await runTypeScript('scripts/fuzz.ts', ['--seconds', '1', '--seed', '7']);
  t.equal(code, 0, out + err);
  t.match(out, /^[0-9]+ requests in [0-9]+ cases of seed 7: 0 findings$/m);
});

t.test('it finds that the process ends, and names the case', async (t) => {
  const program = `
    const server = require('node:http').createServer((request, response) => {
      if (request.headers.range !== undefined) process.exit(1);
      response.end('[]');
    });
    server.listen(0, '127.0.0.1', () => console.error('ready at http://127.0.0.1:' + server.address().port));
  `;
  const run = async (only?: number) => {
    const command = { file: process.execPath, parameters: ['--eval', program] };
    const { address, pid, ended } = await Server.start(t, command, '');
    const options = { seconds: 30, closeTimeoutMs: 10_000, judge: () => [] };
    const { findings } = await tryOn(address, { ...options, only, pid, ended });
    return findings;
  };
  const [finding, ...others] = await run();
  t.match(finding, { number: undefined, what: /^the process ended/ });
  t.strictSame(others, []);
  const numbers = /--seed 7 --case ([0-9 or]+)$/.exec(finding?.bytes ?? '')?.[1]?.split(' or ') ?? [];
  let isFoundAgain = false;
  for (const number of numbers) isFoundAgain ||= (await run(Number(number))).length > 0;
  t.ok(isFoundAgain, 'one of the cases ends it again');
});

t.test(
  'it finds that the memory of the server grows',
  { skip: !linux && 'only Linux tells it' },
  async (t) => {
    const url = await serve(t, (_request, response) => response.end('[]'));
    const kept: Buffer[] = [];
    const leak = setInterval(() => kept.push(Buffer.alloc(8 * 2 ** 20, 1)), 100);
    t.teardown(() => clearInterval(leak));
    const { findings } = await tryOn(url, { pid: process.pid });
    t.match(findings.at(-1)?.what, /the memory grew by \d+ bytes in the second half/);
  },
);

for (const [what, found, listener] of [
  ['fails at a rare header', /the status 500 is not documented, or a failure/, (fails) => fails],
  ['answers an error in another form', /is not an Error: no/, () => [404, 'no']],
  [
    'answers a status that is not documented',
    /the status 418 is not/,
    () => [418, '{"error":418,"message":"x"}'],
  ],
  ['does not answer at all', /no end within 2 s/, () => undefined],
] satisfies [string, RegExp, (fails: [number, string]) => [number, string] | undefined][]) {
  t.test(`it finds a server that ${what}, and finds it again by its case`, async (t) => {
    const url = await serve(t, (request, response) => {
      if (request.headers.range === undefined) {
        response.end('[]');
        return;
      }
      const answer = listener([500, '{"error":500,"message":"x"}']);
      if (answer !== undefined)
        response.writeHead(answer[0], { 'content-type': 'application/json' }).end(answer[1]);
    });
    const [finding] = (await tryOn(url)).findings;
    t.match(finding?.what, found);
    const again = await tryOn(url, { only: finding?.number });
    t.match(again.findings[0], { number: finding?.number, what: found });
  });
}

t.test('it says why it could not try', async (t) => {
  await t.rejects(tryOn('http://127.0.0.1:1'), UnreachableError);
  for (const wrong of [['--seed', 'x'], ['--nonsense']]) {
    const { code, err } = await runTypeScript('scripts/fuzz.ts', wrong);
    t.equal(code, 2);
    t.match(err, String(wrong[0]));
  }
});
