/** The manifest of the tools' package says what its programs, and its tests, are made with. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { preProcessFile } from 'typescript';
import { projectFolder } from '../../packages/kit/index.js';
import { bundlePrograms, packageOf } from '../../scripts/pack-tools/bundle.js';

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly engines: object;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
}

async function readManifest(...folder: string[]): Promise<Manifest> {
  return JSON.parse(await readFile(join(projectFolder, ...folder, 'package.json'), 'utf8'));
}

const house = join(projectFolder, 'packages', 'contract-tools', 'src');
const own = await readManifest('scripts', 'contract');
const root = await readManifest();

/**
 * Fastify's own. Its next version takes cookie 2, which refuses Node.js 20, and npm heeds an override only in
 * the manifest of the project that installs.
 */
const heldBack = ['light-my-request'];
/** It runs the tests, and no file imports it. */
const runner = ['tsx'];

/** The sources of the house, tests included. */
async function readSources(): Promise<string[]> {
  const files = (await readdir(house, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.includes('node_modules'),
  );
  return Promise.all(files.map((file) => readFile(join(house, file), 'utf8')));
}

/** The packages whose files are loaded by a name that is made at run time, which esbuild does not see. */
function requiredIn(source: string): string[] {
  return Array.from(source.matchAll(/\brequire\([`'"](?!node:)([^.$`'"][^$`'"]*)/g), ([, name = '']) =>
    packageOf(name),
  );
}

t.test('its dependencies are the packages that the programs load', async (t) => {
  const { packages } = await bundlePrograms();
  const loaded = new Set([...packages, ...(await readSources()).flatMap(requiredIn), ...heldBack]);
  t.strictSame(Object.keys(own.dependencies).sort(), [...loaded].sort());
});

t.test('its development dependencies are the other packages that a file of the house imports', async (t) => {
  const imported = new Set(runner);
  for (const source of await readSources()) {
    for (const { fileName } of preProcessFile(source).importedFiles)
      if (!/^(?:\.|node:)/.test(fileName)) imported.add(packageOf(fileName));
  }
  const others = [...imported].filter((name) => !(name in own.dependencies));
  t.strictSame(Object.keys(own.devDependencies).sort(), others.sort());
});

t.test('it has the versions, the licence and the Node.js of the project', async (t) => {
  const versions = { ...root.dependencies, ...root.devDependencies, ...root.overrides };
  for (const [name, version] of Object.entries({ ...own.dependencies, ...own.devDependencies }))
    t.equal(version, versions[name], name);
  // A release has the tag of the project, and the action finds its tarball by this version.
  t.equal(own.version, root.version);
  t.equal(own.license, root.license);
  t.equal(own.type, root.type);
  t.strictSame(own.engines, root.engines);
});

t.test('each of its programs has a source', async (t) => {
  const { files } = await bundlePrograms();
  for (const [name, file] of Object.entries(own.bin)) {
    t.ok(existsSync(join(house, 'programs', `${name}.ts`)), name);
    t.ok(files.has(file.replace(/^program\//, '')), file);
  }
});
