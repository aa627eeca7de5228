/** Each tarball of `npm run pack` installs alone, and what its manifest names can be loaded. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { follow, makeFolder, runTypeScript } from '../../packages/kit/testing.js';

t.setTimeout(1_800_000);

const place = await makeFolder(t);
const packed = await runTypeScript(join(projectFolder, 'scripts', 'pack.ts'), ['--out', place]);
t.equal(packed.code, 0, packed.err);

/** A process of its own, which PostgreSQL belongs to: to load it is to start it. */
const processOfItsOwn = './cluster-process';

for (const tarball of (await readdir(place)).sort())
  t.test(tarball, async (t) => {
    // npm takes a folder whose name ends with .tgz for a tarball.
    const folder = join(place, 'installed', basename(tarball, '.tgz'));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const run = async (command: string) => {
      const { output, ended } = follow(t, `cd '${folder}'\n${command}`);
      t.equal(await ended, 0, `${command}\n${output()}`);
      return output();
    };
    const options = '--no-audit --prefer-offline --ignore-scripts --engine-strict';
    t.notMatch(await run(`npm install ${options} '${join(place, tarball)}'`), 'npm warn');
    const [name = '', ...others] = await readdir(join(folder, 'node_modules', '@plant-store'));
    t.strictSame(others, [], 'no other package of ours');
    const manifest = JSON.parse(
      await readFile(join(folder, 'node_modules', '@plant-store', name, 'package.json'), 'utf8'),
    );
    for (const door of Object.keys(manifest.exports).filter((door) => door !== processOfItsOwn))
      await run(`node --input-type=module -e "await import('${join(manifest.name, door)}')"`);
    for (const program of Object.keys(manifest.bin ?? {}))
      t.match(await run(`npx --no -- ${program} --help`), /^Usage: np[mx] /, program);
  });
