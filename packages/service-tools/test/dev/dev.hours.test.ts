import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  apply,
  collect,
  copyProject,
  end,
  endOfPlant,
  lastColumn,
  member,
  projectFolder,
} from '../../../kit/index.js';
import {
  call,
  cleanEnvironment,
  makeDataFolder,
  makeFolder,
  missing,
  postgresProcesses,
  startProgram,
  until,
} from '../../../kit/testing.js';
import { gitIn } from './saves.js';

/** Milliseconds: a cold TypeScript reads a thousand files, perhaps on a busy machine. */
const patience = 180_000;

t.setTimeout(6 * patience);

/** Commits a copy of the project, and starts its `npm run dev`. */
async function startDev(t: Test) {
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  // The copy's own tests and scripts are those of the project: checking them would only take time.
  await apply(folder, {
    file: 'tsconfig.json',
    old: '["src", "generated", "scripts", "test", "examples", "packages"]',
    next: '["src", "test/more.ts", "scripts/more.ts"]',
  });
  const git = gitIn(folder);
  git.init();
  git.commit('openapi');
  const data = await makeDataFolder(t);
  const dev = join(folder, 'scripts', 'dev.ts').replace(projectFolder, '.');
  const program = startProgram(t, dev, [], { environment: { DATA_DIR: data, PORT: '0' } });
  let read = 0;
  /** Waits for output after the last match. */
  const said = async (text: RegExp) => {
    const found = await until(`it says ${text}`, () => text.exec(program.stdout().slice(read)), patience);
    read += found.index + found[0].length;
    return found;
  };
  const ready = (times: number) =>
    until(
      `server ${times} is ready`,
      () => (program.stderr().match(/ready at /g) ?? []).length === times,
      patience,
    );
  return { folder, data, program, said, ready };
}

/** Saves as `sed -i` and most editors do: a new file replaces the old one. */
async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

t.test(
  'dev judges each save, keeps the last good server running, and ends everything at Ctrl-C',
  { skip: missing('git') },
  async (t) => {
    const { folder, data, program, said, ready } = await startDev(t);
    const contract = join(folder, 'openapi', 'plants.yaml');
    const types = join(folder, 'generated', 'plants.ts');
    const [yaml, generated] = [await readFile(contract, 'utf8'), await readFile(types, 'utf8')];

    const [, token = ''] = await said(/^token {2}(\S+)/m);
    await said(/: no changes since HEAD; no type errors in code that uses the contract; no lint problems/);
    await ready(1);
    const [, address = ''] = /ready at (\S+)/.exec(program.stderr()) ?? [];
    await said(/the whole project: no type errors/);
    const list = () => call(address, 'GET', '/plants', { token });

    await replaceFile(contract, yaml.replace('operationId: listPlants', 'operationId'));
    await said(/plants\.yaml:(\d+):7: Implicit keys .*\n +\1 \| {7}operationId\n +\| +\^/);
    t.equal((await list()).status, 200, 'the last good server runs');
    t.equal(await readFile(types, 'utf8'), generated, 'nothing is generated');

    await replaceFile(contract, yaml.replace('operationId: deletePlant', 'operationId: fellPlant'));
    await said(/; the server stays as it was/);
    await said(/src\/plants\/operations\.ts:\d+:\d+ The contract has no operation "deletePlant" here\./);
    t.equal((await list()).status, 200, 'the last good server runs, since a new one would not');
    t.not(await readFile(types, 'utf8'), generated);

    await replaceFile(contract, yaml.replace('maxLength: 255', 'maxLength: 200'));
    await said(/, \d breaking since HEAD; raise the major version: \S*plants\.yaml:\d+:\d+; no type errors/);
    await ready(2);
    await said(/the whole project: no type errors/);

    await t.test('dev judges saves that follow each other at once', async () => {
      const narrow = await readFile(contract, 'utf8');
      for (let time = 0; time < 10; time++) {
        await writeFile(contract, narrow);
        await said(/: no change \[/);
      }
    });

    await t.test('dev recovers from a contract that was missing', async () => {
      const narrow = await readFile(contract, 'utf8');
      await rm(contract);
      await said(/: the file cannot be read; nothing is generated; the server stays as it was/);
      await writeFile(contract, narrow);
      await said(/: no changes since the last save; /);
      await ready(3);
      await said(/the whole project: no type errors/);
    });

    await t.test('dev compares a save with HEAD, not only with the save before', async () => {
      const narrow = yaml.replace('maxLength: 255', 'maxLength: 200');
      await writeFile(contract, narrow.replace('Deletes one plant', 'Deletes a plant'));
      await said(/1 change, none breaking since the last save; \d changes, \d breaking since HEAD; raise/);
      await said(/^since HEAD \S*plants\.yaml:\d+:\d+ POST .*maxLength 255 → 200\. \(breaking\)$/m);
      await ready(4);
      await writeFile(contract, yaml);
      await said(/breaking since the last save; no changes since HEAD; no type errors/);
      await ready(5);
      await said(/the whole project: no type errors/);
    });

    await t.test('dev notices each replacement of a source file', async () => {
      const file = join(folder, 'src', 'plants', 'table.ts');
      const good = await readFile(file, 'utf8');
      for (const time of [1, 2, 3]) {
        await replaceFile(file, `${good}export const fault${time}: number = '';\n`);
        await said(/whole project: 1 type error; the server stays as it was.*\n.*table\.ts:.*/);
      }
      await replaceFile(file, good);
      await said(/the whole project: no type errors/);
      await ready(6);
    });

    await t.test('dev checks scripts and tests without restarting the server', async (t) => {
      for (const name of ['scripts', 'test']) {
        const file = join(folder, name, 'more.ts');
        await replaceFile(file, "export const more: number = '';\n");
        await said(new RegExp(`the whole project: 1 type error \\[.*\n.*${name}/more\\.ts:1:14`));
        await replaceFile(file, 'export const more = 1;\n');
        await said(/the whole project: no type errors/);
      }
      t.equal((program.stderr().match(/ready at /g) ?? []).length, 6);
    });

    await t.test('dev keeps the last good server while a migration is missing or empty', async (t) => {
      await apply(folder, { file: 'openapi/plants.yaml', old: endOfPlant, next: endOfPlant + member.yaml });
      await said(/The table "plants" has no column for the member "height"/);
      await apply(folder, { file: 'src/plants/table.ts', old: lastColumn, next: lastColumn + member.column });
      await said(/^The new server does not start.* The last good server keeps running\./m);
      t.match(
        program.stderr(),
        /plants\.yaml:\d+:\d+: the column plants\.height is missing: add a migration/,
      );
      t.equal((await list()).status, 200, 'the last good server runs');
      const migration = 'src/plants/migrations/0004-height.sql';
      await apply(folder, { file: migration, old: '', next: '' });
      await said(/^The new server does not start.* The last good server keeps running\./m);
      t.match(program.stderr(), /The migration 0004-height\.sql is empty/);
      await writeFile(join(folder, migration), member.migration);
      await ready(7);
      t.equal((await list()).status, 200, 'at the same address');
      const body = '{"id":1,"name":"Ficus","height":120}';
      const created = await call(address, 'POST', '/plants', { token, body });
      t.equal(created.text, '{"name":"Ficus","height":120}');
    });

    program.child.kill('SIGINT');
    t.equal(await program.ended, 0);
    t.strictSame(await postgresProcesses(data), [], 'PostgreSQL has ended, too');
  },
);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} to the processes of npm run dev ends its PostgreSQL, too`, async (t) => {
    const data = await makeDataFolder(t);
    const child = spawn('npm', ['run', 'dev'], {
      cwd: projectFolder,
      env: { ...cleanEnvironment(), DATA_DIR: data, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const ended = once(child, 'close');
    const errors = collect(child.stderr);
    child.stdout.resume();
    t.teardown(() => end(child));
    await until('it is ready', () => /ready at /.test(errors()), patience);
    t.not((await postgresProcesses(data)).length, 0);
    process.kill(-(child.pid ?? Number.NaN), signal);
    t.strictSame(await ended, [0, null]);
    t.strictSame(await postgresProcesses(data), []);
  });
}
