import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { projectFolder } from '../src/project.js';
import { clientStory, readSteps } from './support/client-story.js';
import { startService } from './support/service.js';

/**
 * Generators of TypeScript clients: each makes one from the served document, which compiles under "strict" and
 * tells the same story against the service. They are installed apart from the project: `npm ci --prefix clients`.
 */

const run = promisify(execFile);
t.setTimeout(600_000);

const folder = join(projectFolder, 'clients');
const skip =
  !existsSync(join(folder, 'node_modules')) && 'the generators are not installed (`npm ci --prefix clients`)';
const document = './out/openapi.json';

/** What each is told beyond its defaults is what its own documentation begins with. */
const generators: Readonly<Record<string, readonly string[]>> = {
  'openapi-fetch': ['openapi-typescript', document, '-o', 'out/openapi-fetch.ts'],
  'hey-api': ['openapi-ts', '-i', document, '-o', 'out/hey-api'],
  'swagger-typescript-api': [
    ...['swagger-typescript-api', 'generate', '-p', document],
    ...['-o', 'out/swagger-typescript-api', '-n', 'api.ts'],
  ],
  orval: ['orval', '--config', './orval.config.cjs'],
  oazapfts: ['oazapfts', document, 'out/oazapfts.ts'],
  'openapi-typescript-codegen': [
    'openapi',
    '-i',
    document,
    '-o',
    'out/openapi-typescript-codegen',
    '-c',
    'fetch',
  ],
  kubb: ['kubb', 'generate', '--config', 'kubb.config.mjs'],
  'typed-openapi': ['typed-openapi', document, '-o', 'out/typed-openapi.ts'],
};

/** Where a package has another name than the client that it makes. */
const packages: Readonly<Record<string, string>> = {
  'hey-api': '@hey-api/openapi-ts',
  kubb: '@kubb/plugin-client',
};

t.test('clients that are generated from the served document', { skip }, async (t) => {
  const { address, tokens } = await startService(t);
  await rm(join(folder, 'out'), { recursive: true, force: true });
  await mkdir(join(folder, 'out'));
  const served = await fetch(`${address}/openapi.json`);
  await writeFile(join(folder, document), await served.text());

  for (const [name, [command = '', ...parameters]] of Object.entries(generators)) {
    t.test(name, async (t) => {
      const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1', DO_NOT_TRACK: '1' } };
      await run(join('node_modules', '.bin', command), parameters, options);

      const project = { extends: '../tsconfig.json', files: [`../stories/${name}.ts`] };
      await writeFile(join(folder, 'out', `tsconfig.${name}.json`), JSON.stringify(project));
      const compile = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', `out/tsconfig.${name}.json`];
      await t.resolves(run(process.execPath, compile, options), 'it compiles under "strict"');

      const token = await tokens.issue(name);
      const { stdout } = await run(process.execPath, ['--import', 'tsx', `stories/${name}.ts`], {
        ...options,
        env: { ...options.env, PLANTS_URL: address, PLANTS_TOKEN: token },
      });
      t.strictSame(readSteps(stdout), clientStory, 'the story');
    });
  }
});

t.test('docs/clients.md names the generators with the versions that are run', async (t) => {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const table = await readFile(join(projectFolder, 'docs', 'clients.md'), 'utf8');
  for (const name of Object.keys(generators).map((one) => packages[one] ?? one))
    t.ok(table.includes(`${name} ${manifest.dependencies[name]}`), name);
});
