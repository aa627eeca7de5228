import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { inProcess, makeCertificate, withoutOpenssl } from '../../../kit/testing.js';
import { serveIn } from '../../src/base/serve.js';
import { checkCommand } from '../../src/check/check-command.js';

/** That a report begins its verdict with what was proved, and that a pipeline may ask for all of it. */

const yaml = `openapi: 3.0.3
info: { title: Weather, version: "1" }
paths:
  /now: { get: { operationId: getNow, responses: { "200": { description: The weather. } } } }
  /past:
    get:
      operationId: getPast
      responses: { "200": { description: It was. }, "404": { description: Nobody wrote it down. } }
`;

/** How many requests a proxy still answers, whose server does not listen yet. */
let unanswered = 0;
const server = createServer(({ url }, response) => {
  if (unanswered > 0) {
    unanswered--;
    response.writeHead(503).end();
  } else response.writeHead(url === '/now' ? 200 : 404).end();
});
const url = await serveIn(t, server);
const folder = await mkdtemp(join(tmpdir(), 'reached-'));
t.teardown(() => rm(folder, { recursive: true }));
const file = join(folder, 'weather.yaml');
await writeFile(file, yaml);

const checked = (...options: readonly string[]) =>
  inProcess(t, () =>
    checkCommand(
      ['--url', url, '--contract', file, '--cases', '1', ...options],
      {},
      {
        command: 'npx check-contract',
        contract: undefined,
      },
    ),
  );

t.test('every report says how many operations answered a success, and which did not', async (t) => {
  for (const reporter of ['text', 'junit', 'github', 'markdown']) {
    const { code, out } = await checked('--reporter', reporter);
    t.equal(code, 0);
    t.match(out, '1 of 2 operations answered a success; not reached: getPast', reporter);
    t.match(out, 'What was tried of http', `${reporter}: of the rest nothing is said`);
  }
  const { out } = await checked('--reporter', 'json');
  t.match(JSON.parse(out), { operations: 2, unreached: [{ operation: 'getPast', why: /404/ }] });
});

t.test(
  'a server with a certificate that nobody knows is told from one that is down',
  { skip: withoutOpenssl },
  async (t) => {
    const secure = createSecureServer(await makeCertificate(t), (_request, response) => response.end());
    const address = (await serveIn(t, secure)).replace('http:', 'https:');
    t.match(await checked('--url', address), {
      code: 2,
      err: /^Nobody answers at .* \(self-signed certificate[^)]*\): set NODE_EXTRA_CA_CERTS to the file/,
    });
  },
);

t.test('--wait-for asks until the server answers, and then checks it', async (t) => {
  unanswered = 3;
  const { code, out, err } = await checked(
    '--wait-for',
    '5m',
    '--report',
    `json:${join(folder, 'all.json')}`,
  );
  t.equal(code, 0, out + err);
  t.equal(unanswered, 0);
  t.match(JSON.parse(await readFile(join(folder, 'all.json'), 'utf8')), { operations: 2 });
  // Nobody listens at the first port.
  t.match(await checked('--url', 'http://127.0.0.1:1', '--wait-for', '1s'), {
    code: 2,
    err: /^Nobody has answered at http:\/\/127\.0\.0\.1:1\/ within 1 s \(.*ECONNREFUSED/,
  });
  t.match(await checked('--wait-for', '30'), {
    code: 2,
    err: /^--wait-for is "30": write a time such as 30s/,
  });
});

t.test(
  '--require reached, or a line in the rules, makes an operation that was not reached a finding',
  async (t) => {
    const required = await checked('--require', 'reached');
    t.equal(required.code, 1);
    t.match(required.out, 'getPast: never answered a valid request');
    await writeFile(join(folder, 'weather.rules.yaml'), 'every-operation: on\n');
    t.equal((await checked()).code, 1);
    t.match(await checked('--require', 'everything'), { code: 2, err: /^--require is "everything": / });
  },
);
