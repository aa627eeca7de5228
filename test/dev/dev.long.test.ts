import { execFileSync } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { apply, copyProject } from '../../scripts/kit/project-copy.js';
import { endOfPlant, lastColumn, member } from '../../scripts/kit/readme.js';
import { projectFolder } from '../../src/project.js';
import { call } from '../support/call.js';
import { makeDataFolder, makeFolder, postgresProcesses, startProgram, until } from '../support/process.js';
import { missing } from '../support/tools.js';

/** Milliseconds: a cold TypeScript reads a thousand files, on a machine that has other things to do. */
const patience = 180_000;

t.setTimeout(6 * patience);

/** A copy of the project, committed, whose `npm run dev` is running. */
async function startDev(t: Test) {
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  // The tests and scripts of the copy are the project's own; checking them would only take time.
  await apply(folder, {
    file: 'tsconfig.json',
    old: '["src", "generated", "scripts", "test", "examples"]',
    next: '["src", "test/more.ts", "scripts/more.ts"]',
  });
  const git = (...parameters: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...parameters], {
      cwd: folder,
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', 'openapi');
  git('commit', '--quiet', '--no-gpg-sign', '--message=base');
  const data = await makeDataFolder(t);
  const dev = join(folder, 'scripts', 'dev.ts').replace(projectFolder, '.');
  const program = startProgram(t, dev, [], { environment: { DATA_DIR: data, PORT: '0' } });
  let read = 0;
  /** Waits until it is said, after what was waited for last. */
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

/** As `sed -i` and most editors save: a new file takes the place of the old one. */
async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

t.test(
  'a save is judged, what is broken changes nothing, and Ctrl-C ends it all',
  { skip: missing('git') },
  async (t) => {
    const { folder, data, program, said, ready } = await startDev(t);
    const contract = join(folder, 'openapi', 'plants.yaml');
    const types = join(folder, 'generated', 'plants.ts');
    const [yaml, generated] = [await readFile(contract, 'utf8'), await readFile(types, 'utf8')];

    const [, token = ''] = await said(/^token {2}(\S+)/m);
    await said(/: no changes since HEAD; no type errors where the contract is used; no lint problems/);
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

    await t.test('one save right after the other', async () => {
      const narrow = await readFile(contract, 'utf8');
      for (let time = 0; time < 10; time++) {
        await writeFile(contract, narrow);
        await said(/: no change \[/);
      }
    });

    await t.test('a contract that was away', async () => {
      const narrow = await readFile(contract, 'utf8');
      await rm(contract);
      await said(/: the file cannot be read; nothing is generated; the server stays as it was/);
      await writeFile(contract, narrow);
      await said(/: no changes since the save before; /);
      await ready(3);
      await said(/the whole project: no type errors/);
    });

    await t.test('with what was committed, too, not only with the save before', async () => {
      const narrow = yaml.replace('maxLength: 255', 'maxLength: 200');
      await writeFile(contract, narrow.replace('Deletes one plant', 'Deletes a plant'));
      await said(/1 change, none breaking since the save before; \d changes, \d breaking since HEAD; raise/);
      await said(/^since HEAD \S*plants\.yaml:\d+:\d+ POST .*maxLength 255 → 200\. \(breaking\)$/m);
      await ready(4);
      await writeFile(contract, yaml);
      await said(/breaking since the save before; no changes since HEAD; no type errors/);
      await ready(5);
      await said(/the whole project: no type errors/);
    });

    await t.test('a source that another file takes the place of, time and again', async () => {
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

    await t.test('scripts and tests, without another server', async (t) => {
      for (const name of ['scripts', 'test']) {
        const file = join(folder, name, 'more.ts');
        await replaceFile(file, "export const more: number = '';\n");
        await said(new RegExp(`the whole project: 1 type error \\[.*\n.*${name}/more\\.ts:1:14`));
        await replaceFile(file, 'export const more = 1;\n');
        await said(/the whole project: no type errors/);
      }
      t.equal((program.stderr().match(/ready at /g) ?? []).length, 6);
    });

    await t.test('a migration that is missing, or not written yet', async (t) => {
      await apply(folder, { file: 'openapi/plants.yaml', old: endOfPlant, next: endOfPlant + member.yaml });
      await said(/The table "plants" has no column for the member "height"/);
      await apply(folder, { file: 'src/plants/table.ts', old: lastColumn, next: lastColumn + member.column });
      await said(/^The last good server goes on: what was saved does not start/m);
      t.match(
        program.stderr(),
        /plants\.yaml:\d+:\d+: the column plants\.height is missing: add a migration/,
      );
      t.equal((await list()).status, 200, 'the last good server runs');
      const migration = 'src/plants/migrations/0003-height.sql';
      await apply(folder, { file: migration, old: '', next: '' });
      await said(/^The last good server goes on/m);
      t.match(program.stderr(), /The migration 0003-height\.sql is empty/);
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
