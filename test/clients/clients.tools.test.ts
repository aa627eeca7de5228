import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { projectFolder } from '../../src/project.js';
import { clientStory, readSteps } from '../support/service/client-story.js';
import { startService } from '../support/service/service.js';

/**
 * Generators of TypeScript clients. Each client is made from the served document, compiles under "strict" and
 * runs the same story against the service. `npm ci --prefix clients` installs them apart from the project.
 */

const run = promisify(execFile);
t.setTimeout(900_000);

const folder = join(projectFolder, 'clients');
const skip =
  !existsSync(join(folder, 'node_modules')) && 'the generators are not installed (`npm ci --prefix clients`)';
const document = './out/openapi.json';

/**
 * One shell line each, as in docs/clients.md; undefined if the client is made while its program runs.
 * The options are those that the documentation of each generator starts with.
 */
const generators: Readonly<Record<string, string | undefined>> = {
  'openapi-fetch': `openapi-typescript ${document} -o out/openapi-fetch.ts`,
  'hey-api': `openapi-ts -i ${document} -o out/hey-api`,
  'swagger-typescript-api': `swagger-typescript-api generate -p ${document} -o out/swagger-typescript-api -n api.ts`,
  orval: 'orval --config ./orval.config.cjs',
  oazapfts: `oazapfts ${document} out/oazapfts.ts`,
  'openapi-typescript-codegen': `openapi -i ${document} -o out/openapi-typescript-codegen -c fetch`,
  kubb: 'kubb generate --config kubb.config.mjs',
  'typed-openapi': `typed-openapi ${document} -o out/typed-openapi.ts`,
  'openapi-client-axios': `typegen ${document} > out/openapi-client-axios.d.ts`,
  zodios: `openapi-zod-client ${document} -o out/zodios.ts`,
  'rtk-query': 'rtk-query-codegen-openapi rtk-query.config.cjs',
  fets: `printf 'export default %s as const;' "$(cat ${document})" > out/fets.ts`,
  'swagger-client': undefined,
  postman: `openapi2postmanv2 -s ${document} -o out/postman.json`,
};

t.test('TypeScript clients that are generated from the served document work', { skip }, async (t) => {
  const { address, tokens } = await startService(t);
  await rm(join(folder, 'out'), { recursive: true, force: true });
  await mkdir(join(folder, 'out'));
  const served = await fetch(`${address}/openapi.json`);
  await writeFile(join(folder, document), await served.text());

  for (const [name, line] of Object.entries(generators)) {
    t.test(`the client that ${name} generates works`, async (t) => {
      const PATH = `${join(folder, 'node_modules', '.bin')}:${process.env['PATH']}`;
      const options = { cwd: folder, env: { ...process.env, PATH, NO_COLOR: '1', DO_NOT_TRACK: '1' } };
      if (line !== undefined) await run('sh', ['-c', line], options);

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
