/** The manifest of each package says what its sources import, and where its doors and programs are. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../packages/kit/index.js';
import { loadedBy } from '../scripts/pack/loaded.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly private?: boolean;
  readonly type: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly engines: object;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

async function readManifest(...folder: string[]): Promise<Manifest> {
  return JSON.parse(await readFile(join(projectFolder, ...folder, 'package.json'), 'utf8'));
}

const root = await readManifest();
const versions = {
  ...root.dependencies,
  ...root.devDependencies,
  ...root.optionalDependencies,
  ...root.overrides,
};
const names = await readdir(join(projectFolder, 'packages'));

/** They are never published, because only this repository has a use for them. */
const ours = ['kit', 'lab'];

/** The packages that the sources of a package load, tests and fault servers left out. */
async function packagesOf(name: string): Promise<string[]> {
  const folder = join(projectFolder, 'packages', name);
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !/^(?:test|faults|node_modules)\//.test(file),
  );
  const found = new Set<string>();
  for (const file of files) {
    const source = await readFile(join(folder, file), 'utf8');
    for (const one of loadedBy(source).packages) found.add(one);
  }
  return [...found].sort();
}

for (const name of names)
  t.test(`the manifest of ${name}`, async (t) => {
    const own = await readManifest('packages', name);
    t.strictSame(Object.keys(own.dependencies ?? {}), await packagesOf(name), 'what its sources import');
    for (const [one, version] of Object.entries({ ...own.dependencies, ...own.optionalDependencies }))
      t.equal(version, versions[one], one);
    t.equal(own.name, `@plant-store/${name}`);
    // A release has the tag of the project, and the action finds its tarball by this version.
    t.equal(own.version, root.version);
    t.equal(own.license, root.license);
    t.equal(own.type, root.type);
    t.strictSame(own.engines, root.engines);
    t.equal(own.private === true, ours.includes(name), 'private');
    for (const [door, file] of Object.entries(own.exports)) {
      const source = door === '.' ? 'index' : door.slice(2);
      t.equal(file, `./dist/packages/${name}/${source}.js`);
      t.ok(existsSync(join(projectFolder, 'packages', name, `${source}.ts`)), door);
    }
    for (const [program, file] of Object.entries(own.bin ?? {}))
      t.ok(existsSync(join(projectFolder, file.replace(/^dist\/(.*)js$/, '$1ts'))), program);
  });
