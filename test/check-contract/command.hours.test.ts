import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { check, readCommandLine } from '../../packages/contract-tools/check.js';
import { noTokens, type ProxyAnswer, startFaultProxy } from '../../packages/contract-tools/faults.js';
import { readDocument } from '../../packages/contract-tools/index.js';
import { contractFile } from '../../packages/kit/index.js';
import { type Program, startProgram, until } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';
import { npmRun, readContract } from '../../packages/service-tools/index.js';
import { answerFaults } from '../faults/tables/answers.js';
import { failure } from '../faults/tables/parts.js';

// Each start of the command takes a second or two; slow machines get more time.
t.setTimeout(600_000);

const service = await startService(t);
const other = await service.tokens.issue('other');
const tokens = { PLANTS_TOKEN: service.token, PLANTS_OTHER_TOKEN: other };

function run(t: Test, args: readonly string[], environment: Record<string, string> = tokens): Program {
  const none = { PLANTS_TOKEN: undefined, PLANTS_OTHER_TOKEN: undefined };
  return startProgram(t, 'scripts/check-contract.ts', args, { environment: { ...none, ...environment } });
}

t.test('check:contract exits 0 if the server keeps the contract, and says how much was tried', async (t) => {
  const program = run(t, ['--url', service.address, '--cases', '20', '--seed', '5']);
  t.equal(await program.ended, 0, program.stderr());
  t.match(program.stdout(), /keeps openapi\/plants\.yaml\. \d+ cases, \d+ requests, \d+\.\d s\.\n$/);
  const unseen = Array.from(
    program.stdout().matchAll(/^not seen: (\d+): (\w.*) \((.+)\)$/gm),
    (line) => line[1],
  );
  t.same(
    unseen,
    ['408', '429', '500', '503'],
    'and the statuses that were not seen stand above it, each with why',
  );
  t.match(program.stdout(), /^not seen: 503: needs a failing database.*\(.*\bcreatePlant\b.*\)$/m);
});

t.test('check:contract exits 1 if the server breaks the contract, in every report format', async (t) => {
  const fault = answerFaults.find(({ name }) => name === 'a quotation mark is a 500');
  if (fault === undefined) throw new Error('no such fault');
  const proxy = await startFaultProxy(new URL(service.address), fault.start(noTokens));
  t.teardown(() => proxy.close());
  const report = async (...args: string[]): Promise<string> => {
    const program = run(t, ['--url', proxy.url.href, '--seed', '5', '--cases', '20', ...args]);
    t.equal(await program.ended, 1, program.stderr());
    t.notMatch(program.stdout(), service.token, 'no token is shown');
    return program.stdout();
  };
  const text = await report();
  t.match(text, 'createPlant: a request that is valid is answered 500');
  t.match(text, /^ {2}openapi\/plants\.yaml:\d+:\d+$/m);
  t.match(text, /^ {4}\$ curl .* -X POST .*Authorization: Bearer \$PLANTS_TOKEN.*--data-binary '\{.*\}'$/m);
  t.match(text, /--seed 5 --cases 20$/m);

  const github = await report('--reporter', 'github');
  t.match(
    github,
    /^::error file=openapi\/plants\.yaml,line=\d+,col=\d+::createPlant: a request that is valid is answered 500%0A/m,
  );

  const markdown = await report('--reporter', 'markdown');
  t.match(
    markdown,
    /^### Findings\n\n- \*\*createPlant\*\* a request that is valid is answered 500 \(openapi\/plants\.yaml:\d+:\d+\)\n/,
  );

  const junit = await report('--reporter', 'junit');
  t.match(junit, /^<\?xml/);
  checkJunit(t, junit);

  const json: unknown = JSON.parse(await report('--reporter', 'json'));
  t.match(json, { seed: 5, checks: [] });
  t.match(json, { unseen: [{ operation: String, status: String, why: String }] });
});

t.test('check:contract exits 2 with one line on stderr if nothing can be checked', async (t) => {
  const refuse = async (
    args: readonly string[],
    line: RegExp,
    environment: Record<string, string> = tokens,
  ): Promise<void> => {
    const program = run(t, args, environment);
    t.equal(await program.ended, 2);
    t.match(program.stderr(), line);
    t.equal(program.stdout(), '');
  };
  const folder = t.testdir({ 'no.yaml': 'openapi: 3.0.3\ninfo: {}\npaths: {}\n' });
  await refuse(
    ['--url', `http://127.0.0.1:${await freePort()}`],
    /^Nobody answers at .+: start the server.+\n$/,
  );
  await refuse(['--url', service.address], /^The server refuses what is in PLANTS_TOKEN: .+\n$/, {
    PLANTS_TOKEN: 'wrong',
  });
  await refuse(['--url', service.address, '--contract', join(folder, 'no.yaml')], /^\S*no\.yaml\S* .+\n$/s);
  await refuse(['--url', service.address, '--contract', join(folder, 'none.yaml')], /none\.yaml.+\n$/);
  await refuse([], /^--url is missing: /);
  await refuse(['--url', `${service.address}/v1`], /^Nothing at \S+\/v1 answers as the contract says, .+\n$/);
  await refuse(['--url', service.address], /^PLANTS_TOKEN and PLANTS_OTHER_TOKEN are one credential: .+\n$/, {
    PLANTS_TOKEN: other,
    PLANTS_OTHER_TOKEN: other,
  });
  await refuse(['--url', service.address], /^The tokens of the two owners reach the same items\. .+\n$/, {
    PLANTS_TOKEN: other,
    PLANTS_OTHER_TOKEN: await service.tokens.issue('other'),
  });
  const left = await service.call('GET', '/plants', { token: other });
  t.equal(left.text, '[]', 'what was made to find that out is gone');
});

t.test('check:contract reports a wrong address as such, not as a finding, whatever it answers', async (t) => {
  const contract = await readContract(contractFile);
  const token = { text: service.token, shell: '$PLANTS_TOKEN' };
  const page = (status: number, type: string, body: string): ProxyAnswer => ({
    status,
    headers: [['Content-Type', type]],
    body: Buffer.from(body),
  });
  for (const answer of [
    failure(404),
    page(200, 'text/html', '<!doctype html>'),
    page(200, 'application/json', '{}'),
    page(401, 'text/html', 'Who are you?'),
    page(302, 'text/plain', ''),
  ]) {
    const elsewhere = await startFaultProxy(new URL(service.address), () => answer);
    t.teardown(() => elsewhere.close());
    await t.rejects(
      check({ document: readDocument(contract.text, contract.file), url: elsewhere.url, token }),
      {
        name: 'CannotCheckError',
        message: /^Nothing at .+ answers as the contract says, .+: correct --url \(GET \/plants is answered /,
      },
    );
  }
});

t.test('check:contract tries a revoked token if it has one, and notes if it has none', async (t) => {
  const contract = await readContract(contractFile);
  const url = new URL(service.address);
  const token = { text: service.token, shell: '$PLANTS_TOKEN' };
  const note = 'PLANTS_REVOKED_TOKEN is not set, so revocation was not tried.';
  t.ok(
    (
      await check({ document: readDocument(contract.text, contract.file), url, token, seed: 1, cases: 1 })
    ).notes.includes(note),
  );
  // This token still works, so each operation must get a finding.
  const revokedToken = { text: other, shell: '$PLANTS_REVOKED_TOKEN' };
  const { findings, notes } = await check({
    document: readDocument(contract.text, contract.file),
    url,
    token,
    revokedToken,
    seed: 1,
    cases: 1,
  });
  t.notOk(notes.includes(note));
  t.same(
    findings.map((finding) => [finding.operation, finding.case]),
    contract.operations.map(({ id }) => [id, 'a token that was revoked']),
  );
});

/** Checks JUnit as CI systems read it: https://github.com/testmoapp/junitxml has their common ground. */
function checkJunit(t: Test, report: string): void {
  t.match(report, '<failure type="finding" message="a request that is valid is answered 500">');
  const elements = Array.from(
    report.matchAll(/<(\w[\w-]*)((?: \w+="[^"<]*")*)\/?>/g),
    ([, name = '', text = '']) => {
      const attributes = Array.from(text.matchAll(/ (\w+)="([^"]*)"/g), ([, key = '', value = '']) => [
        key,
        value,
      ]);
      t.equal(new Set(attributes.map(([key]) => key)).size, attributes.length, `each attribute once:${text}`);
      const { time, ...others }: Record<string, string> = Object.fromEntries(attributes);
      return { ...others, element: name, time: Number(time) };
    },
  );
  const named = (name: string) => elements.filter(({ element }) => element === name);
  const total = (name: string): number => named(name).reduce((sum, { time }) => sum + time, 0);
  for (const element of named('testcase'))
    t.match(element, { classname: /./, file: /^openapi\/plants\.yaml$/, line: /^[0-9]+$/, time: /^[0-9]/ });
  const count = named('testcase').length;
  t.ok(total('testcase') > 0);
  for (const name of ['testsuite', 'testsuites'])
    t.ok(Math.abs(total(name) - total('testcase')) < 0.001 * count, `${name}: the times of the cases`);
  t.match(named('testsuites'), [
    { tests: String(count), failures: String(named('failure').length), errors: '0' },
  ]);
  t.equal(named('system-out').length, 1, 'what is true of the whole run is said once');
  const names = Array.from(
    report.matchAll(/<testcase (classname="[^"]*" name="[^"]*")/g),
    ([, both]) => both,
  );
  for (const [, message = '', text = ''] of report.matchAll(/<failure [^>]*message="([^"]*)">([^<]*)</g))
    t.notOk(text.includes(message), 'and neither is a message');
  t.equal(new Set(names).size, names.length);
}

t.test('check:contract reports an unreachable or unusable server as such, not as a finding', async (t) => {
  const contract = await readContract(contractFile);
  const url = new URL(service.address);
  const token = { text: service.token, shell: '$PLANTS_TOKEN' };
  const wrong = { text: 'wrong', shell: '$PLANTS_TOKEN' };
  await t.rejects(check({ document: readDocument(contract.text, contract.file), url }), {
    message: /^There are no credentials: set CONTRACT_TOKEN_BEARERAUTH \(an access token\)/,
  });
  await t.rejects(
    check({ document: readDocument(contract.text, contract.file), url, token, otherToken: wrong }),
    { message: /PLANTS_OTHER_TOKEN/ },
  );
  const busy = await startFaultProxy(url, () => failure(503, [['Retry-After', '0']]));
  t.teardown(() => busy.close());
  await t.rejects(check({ document: readDocument(contract.text, contract.file), url: busy.url, token }), {
    message: /goes on saying/,
  });
});

t.test('check:contract names what is wrong with its command line', async (t) => {
  const read = (...args: string[]) =>
    readCommandLine(['--url', 'http://x', ...args], tokens, npmRun('check:contract'));
  t.match(read('--max-requests-per-second', '50', '--seed', '0'), { requestsPerSecond: 50, seed: 0 });
  t.throws(() => read('--url', 'ftp://x'), { message: /^--url is "ftp:\/\/x": / });
  t.throws(() => read('--reporter', 'html'), { message: /^--reporter is "html": / });
  t.throws(() => read('--cases', '0'), { message: /^--cases is "0": / });
  t.throws(() => read('--faster'), { message: /--faster/ });
  t.throws(() => read('a.yaml', 'b.yaml', 'json'), { message: /^"json" is one argument too many: / });
  t.throws(() => readCommandLine(['--url', 'http://x'], { PLANTS_TOKEN: 'a\nb' }, npmRun('check:contract')), {
    message: /^PLANTS_TOKEN holds/,
  });
});

t.test('check:contract --help prints to stdout', async (t) => {
  const program = run(t, ['--help'], {});
  t.equal(await program.ended, 0);
  t.match(program.stdout(), '--max-requests-per-second');
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  t.test(`check:contract removes what it created after ${signal}`, async (t) => {
    const program = run(t, ['--url', service.address, '--contract', contractFile, '--cases', '100000']);
    const listed = async (): Promise<unknown> => (await service.call('GET', '/plants')).body;
    await until('there are plants', async () => {
      const plants = await listed();
      return Array.isArray(plants) && plants.length > 20;
    });
    program.child.kill(signal);
    t.equal(await program.ended, 2, program.stderr());
    t.match(program.stdout(), /^Interrupted\. So far /m);
    t.same(await listed(), []);
  });
}

/** A port that was free a moment ago, so nobody listens on it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
