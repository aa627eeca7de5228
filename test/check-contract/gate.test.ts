import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { checkCommand } from '../../packages/contract-tools/check.js';
import { noTokens, nothing, startFaultProxy } from '../../packages/contract-tools/faults.js';
import { contractFile } from '../../packages/kit/index.js';
import { inProcess, runTypeScript } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';
import { npmRun, readContract } from '../../packages/service-tools/index.js';
import { faults } from '../faults/all-faults.js';
import { BrokenServer } from '../faults/broken-server.js';

/** That check:contract refuses a broken server at all. finds-….hours.test.ts try all faults. */

// Each run takes half a second on an idle machine; slow machines get more time.
t.setTimeout(600_000);

const service = await startService(t);
const tokens = { PLANTS_TOKEN: service.token, PLANTS_OTHER_TOKEN: await service.tokens.issue('other') };
const chosen = ['--seed', '5', '--cases', '1'];

/** At least one fault for each of the checker's probes, by its name in test/faults/tables/. */
const names = [
  // The answers to valid requests: status, headers, body.
  'create answers 201',
  'the list has no Content-Type',
  'the created plant comes with its id',
  '204 has a Content-Length',
  // What must be refused.
  'an id in quotes is an integer',
  // Tokens.
  'deletes need no token',
  'a revoked token stays good',
  'the 401 has no challenge',
  // Methods and paths, transport, and the document that is served.
  'a 405 has no Allow',
  'chunked bodies are refused',
  'the server hands out an older document',
  // What plants mean.
  'limit lets one more through',
  'deleting what is not there is a 204',
  'everybody sees everybody’s plants',
];

t.test('check:contract finds faults of each kind', async (t) => {
  const server = new BrokenServer(t, await readContract(contractFile), service.databaseUrl);
  for (const name of names) {
    const fault = faults.find((one) => one.name === name);
    if (fault === undefined) throw new Error(`No fault is called "${name}".`);
    const { report, found } = await server.try(fault, 1, 5);
    const findings = report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);
    t.ok(found, `${name}: names ${fault.operation}`, { findings });
  }
});

t.test('the command check:contract exits 0 if the server keeps the contract', async (t) => {
  const proxy = await startFaultProxy(new URL(service.address), nothing.start(noTokens));
  t.teardown(() => proxy.close());
  const ended = await inProcess(t, () =>
    checkCommand(['--url', proxy.url.href, ...chosen], tokens, npmRun('check:contract')),
  );
  t.match(ended, { code: 0, out: /keeps openapi\/plants\.yaml\. \d+ cases/, err: '' });
});

t.test('the command check:contract exits 1 with a finding', async (t) => {
  const fault = faults.find(({ name }) => name === 'the server hands out an older document');
  const proxy = await startFaultProxy(new URL(service.address), (fault ?? nothing).start(noTokens));
  t.teardown(() => proxy.close());
  const { code, out } = await inProcess(t, () =>
    checkCommand(['--url', proxy.url.href, ...chosen], tokens, npmRun('check:contract')),
  );
  t.equal(code, 1);
  t.match(out, /^GET \/openapi\.json: /m);
  t.notMatch(out, service.token, 'no token is shown');
});

t.test('the command check:contract exits 2 if it cannot check', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  for (const [args, environment, reason] of [
    [['--url', `http://127.0.0.1:${address.port}`], tokens, /^Nobody answers at .+: start the server.+\n$/],
    [['--url', service.address], { PLANTS_TOKEN: 'wrong' }, /^The server refuses what is in PLANTS_TOKEN: /],
    [['--url', service.address, '--contract', 'none.yaml'], tokens, /none\.yaml.+: mend --contract\.\n$/],
    [[], tokens, /^--url is missing: /],
  ] as const) {
    const ended = await inProcess(t, () => checkCommand(args, environment, npmRun('check:contract')));
    t.match(ended, { code: 2, out: '', err: reason });
  }
});

t.test('the command of its own process exits 2 if it cannot check', async (t) => {
  t.match(await runTypeScript('scripts/check-contract.ts'), { code: 2, out: '', err: /^--url is missing: / });
});
