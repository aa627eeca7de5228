/** The tools that `npm run pack` packs work in a folder that has nothing but a tarball and a contract. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { contractFile, projectFolder } from '../../packages/kit/index.js';
import { call, makeFolder, runTypeScript, until } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';

t.setTimeout(1_200_000);

const maxPackages = 70;
const folder = await makeFolder(t);
const packed = await runTypeScript(join(projectFolder, 'scripts', 'pack.ts'), [
  'contract-tools',
  'contract-mock',
  '--out',
  folder,
]);
const tarballOf = async (name: string) =>
  (await readdir(folder)).find((file) => file.startsWith(`plant-store-${name}-`)) ?? '';
const tarball = await tarballOf('contract-tools');
await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true }');
await cp(contractFile, join(folder, 'my.yaml'));
const installed = await run('npm', ['install', '--no-audit', '--prefer-offline', `./${tarball}`]);

/** Without npx, which takes longer to start than the program. */
const program = (name: string) => join(folder, 'node_modules', '.bin', name);

interface RunOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Runs a program, by default in the folder. @returns what it printed, and its exit code */
async function run(
  command: string,
  parameters: readonly string[],
  { environment = {}, cwd = folder }: RunOptions = {},
) {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, [...parameters], {
      cwd,
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    // execFile's promise is rejected by its own error, which has the output and the exit code.
    return error as { code: number; stdout: string; stderr: string };
  }
}

t.test(
  'the tools install in an empty folder, with few packages, none of which refuses this Node.js',
  async (t) => {
    t.equal(packed.code, 0, packed.err);
    t.equal(installed.code, 0, installed.stderr);
    t.notMatch(installed.stderr, 'EBADENGINE');
    const lock = await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8');
    const names = Object.keys(JSON.parse(lock).packages);
    t.ok(names.length <= maxPackages, names.join(' '));
  },
);

t.test('each program of the tools answers --help', async (t) => {
  for (const name of ['check-contract', 'diff-contract']) {
    const { code, stdout } = await run('npx', ['--no', '--', name, '--help']);
    t.equal(code, 0, name);
    t.match(stdout, `Usage: npx ${name} `);
    t.equal((await run(program(name), [])).code, 2, `${name}: it has no contract of its own`);
  }
});

t.test('check-contract checks a server against the contract of the folder', async (t) => {
  const service = await startService(t);
  const environment = {
    CONTRACT_TOKEN_BEARERAUTH: service.token,
    CONTRACT_OTHER_TOKEN_BEARERAUTH: await service.tokens.issue('other'),
  };
  const url = ['--url', service.address, '--contract', 'my.yaml'];
  const kept = await run('npx', ['--no', '--', 'check-contract', ...url, '--cases', '5'], { environment });
  t.equal(kept.code, 0, kept.stdout + kept.stderr);
  t.match(kept.stdout, /keeps my\.yaml\. \d+ cases/);

  // npx takes "check-contract" for the value of --no, and the options for its own.
  const short = await run('npx', ['--no', 'check-contract', ...url], { environment });
  t.equal(short.code, 0, short.stdout + short.stderr);

  const contract = await readFile(contractFile, 'utf8');
  await writeFile(join(folder, 'other.yaml'), contract.replace('maxLength: 255', 'maxLength: 254'));
  const others = [
    '--url',
    service.address,
    '--contract',
    'other.yaml',
    '--cases',
    '5',
    '--reporter',
    'github',
  ];
  const broken = await run('npx', ['--no', '--', 'check-contract', ...others], { environment });
  t.equal(broken.code, 1, broken.stderr);
  t.match(broken.stdout, /^::error file=other\.yaml,line=\d+,col=\d+::/m);
  t.match(broken.stdout, /^npx check-contract --url \S+ --contract other\.yaml --seed \d+ --cases 5$/m);
});

t.test('diff-contract compares two files of the folder, in every report', async (t) => {
  const contract = await readFile(contractFile, 'utf8');
  await writeFile(join(folder, 'next.yaml'), contract.replace('bytes: 65536', 'bytes: 4096'));
  const short = await run('npx', ['--no', 'diff-contract', '--base', 'my.yaml', '--contract', 'next.yaml']);
  t.equal(short.code, 1, short.stderr);
  t.match(short.stdout, /^breaking {3}next\.yaml:\d+:\d+ POST \/plants: request body: /m);
  for (const [reporter, form] of [
    ['json', /"breaking": true/],
    [
      'junit',
      /<failure type="finding" message="request body: limit of bytes 65536 → 4096\. \[request-body-limit-decreased\]">/,
    ],
    ['github', /^::error file=next\.yaml,line=\d+,col=\d+::POST \/plants: request body: /m],
    ['sarif', /"version": "2\.1\.0"/],
    ['markdown', /^### Breaking\n\n- \*\*POST \/plants\*\* request body: .+ \(next\.yaml:\d+:\d+\)\n/],
  ] as const) {
    const parameters = ['--base', 'my.yaml', '--contract', 'next.yaml', '--reporter', reporter];
    const { code, stdout } = await run(program('diff-contract'), parameters);
    t.equal(code, 1, reporter);
    t.match(stdout, form, reporter);
  }
});

t.test("the lines of the README's workflows run in a repository of their own", async (t) => {
  const service = await startService(t);
  const repository = await makeFolder(t);
  await cp(contractFile, join(repository, 'openapi.yaml'));
  await cp(join(folder, 'package.json'), join(repository, 'package.json'));
  const user = ['-c', 'user.name=test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgSign=false'];
  for (const parameters of [
    ['init', '--quiet'],
    ['add', 'openapi.yaml'],
    ['commit', '--quiet', '--message=base'],
    ['update-ref', 'refs/remotes/origin/main', 'HEAD'],
    // What `git fetch` of the other pipeline leaves.
    ['fetch', '--quiet', '.', 'HEAD'],
  ])
    await promisify(execFile)('git', [...user, ...parameters], { cwd: repository });
  const text = await readFile(join(projectFolder, 'packages', 'contract-tools', 'README.md'), 'utf8');
  const lines = Array.from(
    text.matchAll(/^ +- (?:run: )?((?:npm install|npx|CONTRACT_TOKEN=).+)$/gm),
    ([, line]) => line,
  );
  t.equal(lines.length, 6, 'three of each workflow');
  for (const line of lines) {
    const command = String(line).replaceAll('http://127.0.0.1:8080', service.address);
    const { code, stdout, stderr } = await run('bash', ['-e', '-o', 'pipefail', '-c', command], {
      cwd: repository,
      environment: {
        TOOLS: join(folder, tarball),
        GITHUB_BASE_REF: 'main',
        CONTRACT_TOKEN: service.token,
        API_TOKEN: service.token,
      },
    });
    t.equal(code, 0, `${command}\n${stdout.slice(-1_000)}${stderr}`);
  }
});

t.test('the step of action.yml takes the tools of a release, if they have its checksum', async (t) => {
  const releases = await makeFolder(t);
  const version = /([0-9.]+)\.tgz$/.exec(tarball)?.[1];
  const release = join(releases, `v${version}`);
  await mkdir(release);
  await cp(join(folder, tarball), join(release, tarball));
  const sum = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
  const sums = (of: string) => `${sum('another file')}  another.tgz\n${of}  ${tarball}\n`;
  const step = async (environment = {}) => {
    const temporary = await makeFolder(t);
    const [summary, outputs] = ['summary.md', 'outputs'].map((name) => join(temporary, name));
    const ended = await run(join(projectFolder, 'packages', 'contract-tools', 'action'), [], {
      environment: {
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_OUTPUT: outputs,
        COMMAND: 'diff',
        CONTRACT: 'my.yaml',
        BASE: 'my.yaml',
        ACCEPT: '',
        URL: '',
        REQUIRE: '',
        WAIT_FOR: '',
        REPORTER: 'github',
        TOOLS: '',
        RELEASES: pathToFileURL(releases).href,
        RUNNER_TEMP: temporary,
        ...environment,
      },
    });
    const written = (file = '') => readFile(file, 'utf8').catch(() => '');
    return { ...ended, summary: await written(summary), outputs: await written(outputs) };
  };
  await writeFile(join(release, 'SHA256SUMS'), sums(sum(await readFile(join(folder, tarball)))));
  t.match(await step(), {
    code: 0,
    stdout: 'No changes.\n',
    summary: 'No changes.\n',
    outputs: 'exit-code=0\n',
  });
  const changed = await step({ CONTRACT: 'next.yaml' });
  t.match(changed, {
    code: 1,
    stdout: /^::error file=/,
    summary: /^### Breaking\n/,
    outputs: /^exit-code=1$/m,
  });
  const files = Array.from(changed.outputs.matchAll(/^(?:json|sarif)=(.+)$/gm), ([, file = '']) => file);
  for (const file of files) t.match(JSON.parse(await readFile(file, 'utf8')), Object, file);
  t.equal(files.length, 2);
  t.match(await step({ BASE: '' }), { code: 2, stdout: /^::error::The input base is empty: / });
  t.match(await step({ COMMAND: 'check' }), { code: 2, stdout: /^::error::The input url is empty: / });
  t.match(await step({ COMMAND: 'mock' }), { code: 2, stdout: /^::error::The input command is "mock": / });
  t.match(await step({ TOOLS: tarball, RELEASES: '' }), { code: 0 }, 'a tarball of the workflow itself');
  await writeFile(join(release, 'SHA256SUMS'), sums(sum('something else')));
  const refused = await step();
  t.not(refused.code, 0);
  t.equal(refused.stdout, '');
});

t.test('mock-contract serves the contract of the folder, and its docs page', async (t) => {
  const place = await makeFolder(t);
  await cp(contractFile, join(place, 'my.yaml'));
  await writeFile(join(place, 'package.json'), '{ "name": "consumer", "private": true }');
  const mockTarball = join(folder, await tarballOf('contract-mock'));
  const options = ['--no-audit', '--prefer-offline', '--ignore-scripts=false'];
  const added = await run('npm', ['install', ...options, mockTarball], { cwd: place });
  t.equal(added.code, 0, added.stderr);
  t.notOk(existsSync(join(place, 'node_modules', '@scarf')), 'no package that reports its installation');
  const mockProgram = join(place, 'node_modules', '.bin', 'mock-contract');
  const asked = await run('npx', ['--no', '--', 'mock-contract', '--help'], { cwd: place });
  t.match(asked, { code: 0, stdout: /^Usage: npx mock-contract / });
  t.equal((await run(mockProgram, [], { cwd: place })).code, 2, 'it has no contract of its own');
  const mock = spawn(process.execPath, [mockProgram, 'my.yaml'], {
    cwd: place,
    env: { ...process.env, NODE_OPTIONS: '', PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(async () => {
    mock.kill();
    if (mock.exitCode === null && mock.signalCode === null) await once(mock, 'exit');
  });
  let told = '';
  mock.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  await until('it is ready', () => told.includes('nothing is stored'));
  const [, address = ''] = /ready at (\S+)/.exec(told) ?? [];
  t.equal((await call(address, 'GET', '/plants', { token: 'any' })).status, 200);
  const { text } = await call(address, 'GET', '/docs');
  for (const [, asset = ''] of text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g))
    t.equal((await call(address, 'GET', `/${asset}`)).status, 200, asset);
});
