import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { filesThatDiffer, proveAndStart, proveRules } from '../../../../test/drift/prove.js';
import { runIn } from '../../../../test/drift/run.js';
import { copyProject, projectFolder } from '../../../kit/index.js';
import { call, makeFolder } from '../../../kit/testing.js';

t.setTimeout(600_000);

/** Tests that prove the promises of the store for each resource, and the one of the layers of packages/service/src/. */
const tests = [
  'packages/service/test/resources/documented-statuses.test.ts',
  'packages/service/test/resources/lists.test.ts',
  'packages/service/test/resources/repeatable-creates.test.ts',
  'test/layers.test.ts',
  'packages/service/test/start/newer-database.test.ts',
];

t.test('new:resource writes a resource that keeps every rule, compiles, and is served', async (t) => {
  // The copy lies within the project, because startProgram starts files of the project.
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  const before = await readFile(join(folder, 'openapi', 'plants.yaml'), 'utf8');
  // A word of JavaScript, whose operations need only compile.
  const ofWord = await runIn(folder, ['scripts/new-resource.ts', 'returns']);
  t.equal(ofWord.code, 0, 'a word of JavaScript', ofWord);
  // A word that begins with a vowel, and is longer than those of the templates.
  const made = await runIn(folder, ['scripts/new-resource.ts', 'orchidariums']);
  t.equal(made.code, 0, 'new:resource', made);

  const after = await readFile(join(folder, 'openapi', 'plants.yaml'), 'utf8');
  const lines = new Set(after.split('\n'));
  t.strictSame(
    before.split('\n').filter((line) => !lines.has(line)),
    [],
    'the YAML keeps each of its lines',
  );
  t.match(after, 'An orchidarium');
  t.match(await readdir(join(folder, 'src', 'orchidariums', 'migrations')), [/^[0-9]{4}-orchidariums\.sql$/]);
  const own = await filesThatDiffer(folder, 'src');
  t.strictSame(
    own.filter((file) => !/^src\/(?:orchidariums|returns)\//.test(file)),
    ['src/plant-store.ts'],
  );

  await proveRules(t, folder);
  const { address, token } = await proveAndStart(t, folder);
  const body = '{"id":7,"name":"Kew"}';
  t.equal((await call(address, 'POST', '/orchidariums', { token, body })).text, body);
  t.equal((await call(address, 'GET', '/orchidariums?after=6&limit=1', { token })).text, `[${body}]`);
  t.equal((await call(address, 'GET', '/orchidariums/7', { token })).text, body);
  t.equal((await call(address, 'DELETE', '/orchidariums/7', { token })).status, 204);

  for (const file of tests) {
    const { code, output } = await runIn(folder, [file], { TAP_TIMEOUT: '600' });
    t.equal(code, 0, `${file} is green`, { output: output.slice(-2_000) });
  }

  const again = await runIn(folder, ['scripts/new-resource.ts', 'orchidariums']);
  t.strictSame([again.code, again.output], [2, 'src/orchidariums is there already: choose another name.\n']);
  t.equal(await readFile(join(folder, 'openapi', 'plants.yaml'), 'utf8'), after, 'and changes nothing');
});
