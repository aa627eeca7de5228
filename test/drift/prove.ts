import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { call, startProgram, until } from '../../packages/kit/testing.js';
import { makeDatabase } from '../../packages/service/test/support/postgres/database.js';
import { lintOwnContract } from '../../packages/service-tools/lint.js';
import { compile, runIn } from './run.js';

/** Fails if the contract of the copy breaks a linter rule. */
export async function proveRules(t: Test, folder: string): Promise<void> {
  t.strictSame(await lintOwnContract(join(folder, 'openapi', 'plants.yaml')), [], 'the rules are kept');
}

/** Fails if the copy does not compile or its server breaks the contract; returns the server's address. */
export async function proveAndStart(t: Test, folder: string): Promise<{ address: string; token: string }> {
  const generated = await runIn(folder, ['scripts/codegen.ts']);
  t.equal(generated.code, 0, 'codegen', generated);
  const checked = await runIn(folder, ['scripts/codegen.ts', '--check']);
  t.equal(checked.code, 0, 'codegen --check', checked);
  // Compiles the whole copy: tools and tests must fit the contract, too.
  const compiled = await compile(folder, join(folder, 'tsconfig.json'));
  t.equal(compiled.output, '', 'types');
  const environment = {
    DATABASE_URL: await makeDatabase(t),
    PORT: '0',
    LOG_LEVEL: 'silent',
    CHECK_ANSWERS: 'on',
  };
  const main = join(folder, 'src', 'main.ts').replace(projectFolder, '.');
  const server = startProgram(t, main, [], { environment });
  const address = await until('the server is ready', () => /ready at (\S+)/.exec(server.stderr())?.[1]);
  const token = await runIn(folder, ['src/main.ts', 'token', 'issue', 'alice'], environment);
  const other = await runIn(folder, ['src/main.ts', 'token', 'issue', 'bob'], environment);
  const conformance = await runIn(folder, ['scripts/check-contract.ts', '--url', address], {
    PLANTS_TOKEN: token.output.trim(),
    PLANTS_OTHER_TOKEN: other.output.trim(),
  });
  t.equal(conformance.code, 0, 'the running server keeps the contract', conformance);
  t.equal((await call(address, 'GET', '/docs')).status, 200, 'the docs page is there');
  t.equal(
    (await call(address, 'GET', '/openapi.yaml')).text,
    await readFile(join(folder, 'openapi', 'plants.yaml'), 'utf8'),
    'and shows the new document',
  );
  return { address, token: token.output.trim() };
}

export async function filesThatDiffer(folder: string, under: string): Promise<string[]> {
  const files = (await readdir(join(folder, under), { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  const differing = await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(folder, path), 'utf8');
      return text === (await readFile(join(projectFolder, path), 'utf8').catch(() => undefined))
        ? []
        : [path];
    }),
  );
  return differing.flat().sort();
}
