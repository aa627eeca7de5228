/**
 * The commands of docs/adding-a-resource.md, "A service", make a service in an empty folder: from the tarballs, outside of
 * this repository, and by nothing but what they install.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import {
  call,
  docsBlock,
  follow,
  makeDataFolder,
  makeFolder,
  missing,
  runTypeScript,
  until,
} from '../../packages/kit/testing.js';

t.setTimeout(1_200_000);

const section = 'A service';
const tarballs = ['embedded-postgres', 'service', 'service-tools'];

t.test(
  'new-service writes a service that is served, compiles, and grows',
  { skip: missing('curl') },
  async (t) => {
    const place = await makeFolder(t);
    const repository = join(place, 'plant-store');
    const folder = join(place, 'seed-bank');
    await mkdir(repository);
    const packed = join(place, 'dist');
    const environment = {
      PACKED: packed,
      DATA_DIR: await makeDataFolder(t, place),
      DATABASE_URL: undefined,
      PORT: '0',
      LOG_LEVEL: 'silent',
      npm_config_prefer_offline: 'true',
    };
    const result = await runTypeScript(join(projectFolder, 'scripts', 'pack.ts'), [
      ...tarballs,
      '--out',
      packed,
    ]);
    t.equal(result.code, 0, result.err);
    /** Runs commands as somebody would who types them in a folder. */
    const start = (cwd: string, commands: string) => follow(t, `cd '${cwd}'\n${commands}`, environment);
    const run = async (commands: string) => {
      const { output, ended } = start(folder, commands);
      return { code: await ended, output: output() };
    };
    const ready = (program: ReturnType<typeof start>) =>
      until('it is ready', () => / is ready at (\S+)/.exec(program.output())?.[1]);

    const served = start(repository, await docsBlock('adding-a-resource.md', section, 'sh', 2));
    const address = await ready(served);
    t.match(served.output(), 'seed-bank is ready');
    const client = await docsBlock('adding-a-resource.md', section, 'sh', 3);
    const shown = await run(`${client.replaceAll('http://127.0.0.1:3000', address)}\necho "$TOKEN"`);
    const item = '{"id":7,"name":"Foxglove"}';
    // curl reports its progress in between.
    const bodies = shown.output.match(/\[?\{"id".*?\}\]?/g);
    t.strictSame(bodies, [item, `[${item}]`], shown.output);
    const [token = ''] = shown.output.match(/plant_\w+/) ?? [];
    await served.stop();

    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    t.match(Object.keys(manifest.scripts), ['start', 'dev', 'codegen']);
    t.strictSame(
      Object.keys(manifest.dependencies),
      tarballs.map((name) => `@plant-store/${name}`),
    );

    // What npm and git leave in an empty folder is no reason to refuse it. A service is.
    const again = await run('npx --no -- new-service .');
    t.equal(again.code, 2);
    t.match(again.output, /^\S+ is there already: name an empty folder, or a new one\.\n$/);

    t.match(await run('npx tsc --noEmit && npm run codegen -- --check'), { code: 0 });
    t.match(await run('npm run new:resource seedbanks'), { code: 0 });
    t.match(await run('npx tsc --noEmit && npm run codegen -- --check'), { code: 0 });
    const development = start(folder, 'npm run dev');
    const other = await ready(development);
    t.match(development.output(), 'no type errors in code that uses the contract; no lint problems');
    t.equal((await call(other, 'POST', '/seedbanks', { token, body: item })).text, item);
    t.equal((await call(other, 'GET', '/items', { token })).text, `[${item}]`, 'the items are still there');
    await development.stop();
  },
);
