import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { projectFolder } from '../../../kit/index.js';
import { makeFolder, nodeWithoutTap } from '../../../kit/testing.js';
import { explainOpenFiles } from '../../src/start/open-files.js';

const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };

t.test('a limit of open files that is too small for the start is named in one line', async (t) => {
  const folder = await makeFolder(t);
  await mkdir(join(folder, 'src', 'start'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of ['program', 'src/project', 'src/start/open-files']) {
    const source = await readFile(join(projectFolder, 'packages', 'service', `${file}.ts`), 'utf8');
    await writeFile(join(folder, `${file}.js`), transpileModule(source, { compilerOptions }).outputText);
  }
  // As many files as the service has: the tests run its sources, whose compiler would fail first.
  const names = Array.from({ length: 200 }, (_, index) => `module-${index}.js`);
  for (const name of names) await writeFile(join(folder, 'src', name), '');
  await writeFile(
    join(folder, 'src', 'serve.js'),
    `${names.map((name) => `import './${name}';\n`).join('')}export const runService = () => process.exit();\n`,
  );
  await writeFile(
    join(folder, 'main.js'),
    "import { runProgram } from './program.js';\nawait runProgram(async () => ({}), []);\n",
  );
  const command = ['-c', 'ulimit -n 40; exec "$@"', 'sh', ...nodeWithoutTap, join(folder, 'main.js')];
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile('/bin/sh', command, (error, _stdout, stderr) => resolve({ code: error?.code, stderr }));
  });
  if (code === undefined && !process.version.startsWith('v20.')) {
    t.pass('this Node.js opens its files one after the other, as 24 does');
    return;
  }
  t.equal(code, 1, stderr);
  t.match(stderr, /^[^\n]*\b40\b[^\n]*ulimit -n[^\n]*MAX_CONNECTIONS[^\n]*\n$/);
});

t.test('another error is not explained by the limit of open files', async (t) => {
  t.equal(explainOpenFiles(Object.assign(new Error('no such file'), { code: 'ENOENT' })), undefined);
  t.equal(explainOpenFiles('EMFILE'), undefined);
});
