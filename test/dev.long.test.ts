import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../src/project.js';
import { makeDataFolder, makeFolder, postgresProcesses, startProgram, until } from './support/process.js';
import { apply, copyProject } from './support/project-copy.js';

/** Milliseconds: a cold TypeScript reads a thousand files, on a machine that has other things to do. */
const patience = 180_000;

t.setTimeout(3 * patience);

t.test('a save is judged, what is broken changes nothing, and Ctrl-C ends it all', async (t) => {
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  // The tests and scripts of the copy are the project's own; checking them would only take time.
  await apply(folder, {
    file: 'tsconfig.json',
    old: '["src", "generated", "scripts", "test", "examples"]',
    next: '["src"]',
  });
  const data = await makeDataFolder(t);
  const contract = join(folder, 'openapi', 'plants.yaml');
  const types = join(folder, 'generated', 'plants.ts');
  const [yaml, generated] = [await readFile(contract, 'utf8'), await readFile(types, 'utf8')];

  const dev = join(folder, 'scripts', 'dev.ts').replace(projectFolder, '.');
  const { child, stdout, stderr, ended } = startProgram(t, dev, [], {
    environment: { DATA_DIR: data, PORT: '0' },
  });
  const said = (text: RegExp) => until(`it says ${text}`, () => text.exec(stdout()), patience);
  await said(/no changes, none breaking; no type errors where the contract is used; no lint problems/);
  const [, token = ''] = await said(/^token {2}(\S+)/m);
  const address = await until('the server is ready', () => /ready at (\S+)/.exec(stderr())?.[1], patience);
  await said(/the whole project: /);
  const list = () => fetch(`${address}/plants`, { headers: { Authorization: `Bearer ${token}` } });

  await writeFile(contract, yaml.replace('operationId: listPlants', 'operationId'));
  await said(/plants\.yaml:(\d+):7: Implicit keys .*\n +\1 \| {7}operationId\n +\| +\^/);
  t.equal((await list()).status, 200, 'the last good server runs');
  t.equal(await readFile(types, 'utf8'), generated, 'nothing is generated');

  await writeFile(contract, yaml.replace('operationId: deletePlant', 'operationId: fellPlant'));
  await said(/src\/plants\/operations\.ts:\d+:\d+ The contract has no operation "deletePlant" here\./);
  t.equal((await list()).status, 200, 'the last good server runs, since a new one would not');
  t.not(await readFile(types, 'utf8'), generated);

  await writeFile(contract, yaml.replace('maxLength: 255', 'maxLength: 200'));
  await said(/[12] breaking \(raise the major version: \S*plants\.yaml:\d+:\d+\)/);
  await until('a new server is ready', () => (stderr().match(/ready at /g) ?? []).length === 2, patience);

  child.kill('SIGINT');
  t.equal(await ended, 0);
  t.strictSame(await postgresProcesses(data), [], 'PostgreSQL has ended, too');
});
