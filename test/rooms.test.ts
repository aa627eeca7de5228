/** The rooms of src/, and what each may import: one direction, so that each can be read without those above it. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, normalize, sep } from 'node:path';
import t from 'tap';
import { preProcessFile } from 'typescript';
import { plantParts } from '../src/parts.js';
import { projectFolder } from '../src/project.js';

/** The rooms of resources, which only src/parts.ts names. */
const resources = plantParts.migrationFolders
  .map((folder) => basename(dirname(folder)))
  .filter((room) => room !== 'access');

/** From the bottom to the top. A file at the root of src/ is a room of its own. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  'project.ts': [],
  schema: [],
  contract: ['schema'],
  'settings.ts': ['errors'],
  log: ['errors'],
  observability: ['errors', 'log', 'project.ts', 'settings.ts'],
  fairness: ['errors', 'observability'],
  postgres: ['errors', 'fairness', 'log', 'observability', 'settings.ts'],
  'embedded-postgres': ['errors', 'postgres', 'settings.ts'],
  batching: ['errors', 'fairness', 'observability'],
  store: ['batching', 'contract', 'errors', 'fairness', 'postgres', 'schema'],
  access: ['batching', 'errors', 'fairness', 'log', 'postgres', 'settings.ts'],
  resources: ['access', 'contract', 'fairness', 'postgres', 'project.ts', 'store'],
  ...Object.fromEntries(
    resources.map((room) => [room, ['contract', 'errors', 'fairness', 'resources', 'store']]),
  ),
  http: ['contract', 'errors', 'fairness', 'log', 'observability'],
  'api-docs': ['contract', 'http', 'project.ts', 'schema'],
  start: ['contract', 'errors', 'postgres', 'project.ts', 'resources', 'schema', 'settings.ts', 'store'],
  'parts.ts': [...resources, 'project.ts', 'resources', 'start'],
  'app.ts': ['access', 'api-docs', 'contract', 'fairness', 'http', 'postgres', 'resources'],
};
/** They put the others together, so they may import all. */
const entrances = ['service.ts', 'main.ts', 'command-line'];
const maxFilesAtRoot = 6;
const maxFilesWithoutPage = 6;

const source = join(projectFolder, 'src');
const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'));
const imports = new Map(await Promise.all(files.map(async (file) => [file, await importsOf(file)] as const)));

/** The files of src/ that a file imports, types and `import()` included. */
async function importsOf(file: string): Promise<string[]> {
  const { importedFiles } = preProcessFile(await readFile(join(source, file), 'utf8'));
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)).replace(/\.js$/, '.ts'))
    .filter((name) => !name.startsWith('..'));
}

function roomOf(file: string): string {
  const [room = ''] = file.split(sep);
  return room;
}

t.test('each room imports only rooms below it', async (t) => {
  for (const [file, targets] of imports) {
    const room = roomOf(file);
    if (entrances.includes(room)) continue;
    const allowed = mayImport[room];
    if (allowed === undefined) {
      t.fail(
        `src/${file}: the room "${room}" is not in the table of this test: add it, with what it may import.`,
      );
      continue;
    }
    const wrong = targets.filter((target) => ![room, ...allowed].includes(roomOf(target)));
    t.strictSame(wrong, [], `src/${file}: "${room}" may import ${allowed.join(', ') || 'no other room'}`);
  }
});

t.test('the table of rooms has no circle, and no room that is gone', async (t) => {
  const below = new Set<string>();
  for (const [room, allowed] of Object.entries(mayImport)) {
    t.strictSame(
      allowed.filter((one) => !below.has(one)),
      [],
      `what ${room} may import stands above it in the table`,
    );
    below.add(room);
  }
  const rooms = new Set(files.map(roomOf));
  t.strictSame(
    [...Object.keys(mayImport), ...entrances].filter((room) => !rooms.has(room)),
    [],
  );
});

t.test('no file imports itself by way of others', async (t) => {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) t.fail(`a circle: ${[...way.slice(way.indexOf(file)), file].join(' → ')}`);
    else if (!done.has(file)) for (const target of imports.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

t.test(
  'the start takes the contract from generated/, and loads nothing that parses or checks it',
  async (t) => {
    const loaded = new Set<string>();
    const load = async (file: string): Promise<void> => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const text = await readFile(join(source, file), 'utf8');
      for (const [, name = ''] of text.matchAll(/^(?:import|export) (?!type\b)[^']*'(\..+)';$/gm))
        await load(normalize(join(dirname(file), name)).replace(/\.js$/, '.ts'));
    };
    // Those that main.ts loads.
    for (const file of ['service.ts', 'parts.ts']) await load(file);
    t.ok(loaded.has(join('contract', 'generated.ts')));
    for (const file of loaded) t.notOk(file.startsWith('..'), file);
  },
);

t.test('few files stand at the root of src/', async (t) => {
  const atRoot = files.filter((file) => !file.includes(sep));
  t.ok(atRoot.length <= maxFilesAtRoot, `${atRoot.join(', ')}: give new ones a room`);
});

t.test('each large room has a page that says what it is', async (t) => {
  for (const room of new Set(files.filter((file) => file.includes(sep)).map(roomOf))) {
    const size = files.filter((file) => roomOf(file) === room).length;
    if (size > maxFilesWithoutPage)
      t.ok((await readdir(join(source, room))).includes('README.md'), `src/${room}/README.md`);
  }
});

t.test('each tool has a page that says what it is', async (t) => {
  for (const room of ['contract', 'lab']) {
    const folder = join(projectFolder, 'scripts', room);
    const tools = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    for (const { name: tool } of tools)
      t.ok((await readdir(join(folder, tool))).includes('README.md'), `scripts/${room}/${tool}/README.md`);
  }
});

/**
 * The rooms of scripts/, and what each may import: rooms of scripts/ by their paths, those of src/ with `src/`
 * in front. A line at the root of scripts/ belongs to none.
 */
const scriptsMayImport: Readonly<Record<string, readonly string[]>> = {
  // The laboratory, and what it starts things with, know the service by its programs only.
  kit: ['contract/kit'],
  lab: ['contract/check', 'contract/document', 'kit'],
  'lab/bench': ['contract/kit', 'kit', 'lab'],
  'lab/fuzz': ['contract/document', 'contract/kit', 'kit', 'lab'],
  'lab/survive': ['contract/check', 'contract/document', 'contract/kit', 'kit', 'lab'],
  'lab/citus': ['contract/kit', 'kit', 'lab/survive'],
  'contract/kit': ['src/schema'],
  'contract/document': ['contract/check', 'src/schema'],
  'contract/diff': ['contract/document', 'contract/kit', 'src/schema'],
  'contract/lint': ['contract/diff', 'contract/document', 'contract/kit', 'src/schema'],
  'contract/check': ['contract/document', 'contract/kit', 'src/contract', 'src/schema'],
  // It is made of the service's own layer.
  'contract/mock': [
    ...['codegen', 'contract/check', 'contract/diff', 'contract/document', 'contract/kit'],
    ...[
      'src/access',
      'src/app.js',
      'src/contract',
      'src/http',
      'src/log',
      'src/schema',
      'src/settings.js',
      'src/start',
    ],
  ],
  'contract/programs': ['contract/check', 'contract/diff', 'contract/kit', 'contract/mock'],
  'contract/test': [
    ...['contract/check', 'contract/diff', 'contract/document', 'contract/faults', 'contract/kit'],
    ...['contract/lint', 'contract/programs', 'src/schema'],
  ],
  'contract/test/mock': [
    'contract/mock',
    'contract/test',
    'src/contract',
    'src/http',
    'src/log',
    'src/schema',
  ],
};

/** The room of a script, such as `contract/check` or `kit`. */
function scriptRoomOf(file: string): string | undefined {
  const [folder, tool, ...below] = file.split(sep);
  if (tool === undefined) return undefined;
  if (folder === 'contract' && tool === 'test' && below[0] === 'mock') return 'contract/test/mock';
  const isHouse = folder === 'contract' || folder === 'lab';
  return isHouse && below.length > 0 ? `${folder}/${tool}` : folder;
}

t.test('each tool of scripts/ imports only rooms below it', async (t) => {
  const folder = join(projectFolder, 'scripts');
  for (const file of await readdir(folder, { recursive: true })) {
    const room = scriptRoomOf(file);
    if (room === undefined || !file.endsWith('.ts')) continue;
    const allowed = scriptsMayImport[room];
    if (allowed === undefined) continue;
    const { importedFiles } = preProcessFile(await readFile(join(folder, file), 'utf8'));
    for (const { fileName } of importedFiles.filter(({ fileName }) => fileName.startsWith('.'))) {
      const path = normalize(join('scripts', dirname(file), fileName));
      const [house = '', inner = ''] = path.split(sep);
      const target = house === 'scripts' ? scriptRoomOf(path.slice('scripts/'.length)) : `${house}/${inner}`;
      t.ok(target === room || allowed.includes(target ?? ''), `scripts/${file} imports ${fileName}`);
    }
  }
});

t.test(
  'src/ is what runs: the programs reach each of its files, and none outside but generated/',
  async (t) => {
    const reached = new Set<string>();
    const follow = async (file: string): Promise<void> => {
      if (reached.has(file)) return;
      reached.add(file);
      const { importedFiles } = preProcessFile(await readFile(join(projectFolder, file), 'utf8'));
      for (const { fileName } of importedFiles) {
        if (!fileName.startsWith('.')) continue;
        const target = normalize(join(dirname(file), fileName)).replace(/\.js$/, '.ts');
        t.match(target, /^(?:src|generated)\//, `${file} imports ${fileName}`);
        if (target.startsWith('src')) await follow(target);
      }
    };
    for (const file of ['main.ts', 'command-line/plant-store.ts']) await follow(join('src', file));
    t.strictSame(
      files.map((file) => join('src', file)).filter((file) => !reached.has(file)),
      [],
      'nobody imports these files: delete them, or move them to whoever does',
    );
  },
);

/** What a service of one's own is made with: whoever changes these changes the services of others. */
const offered: readonly string[] = [
  'src/contract/generated.ts',
  'src/contract/handlers.ts',
  'src/errors/failure.ts',
  'src/fairness/owner.ts',
  'src/resources/parts.ts',
  'src/resources/resource.ts',
  'src/service.ts',
  'src/store/table.ts',
];

t.test("examples/gardens imports only itself and what is offered to services of one's own", async (t) => {
  const imported = new Set<string>();
  const folder = join('examples', 'gardens');
  for (const file of await readdir(join(projectFolder, folder), { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const { importedFiles } = preProcessFile(await readFile(join(projectFolder, folder, file), 'utf8'));
    for (const { fileName } of importedFiles) {
      const target = normalize(join(folder, dirname(file), fileName)).replace(/\.js$/, '.ts');
      if (fileName.startsWith('.') && !target.startsWith(folder)) imported.add(target);
      else if (!fileName.startsWith('.')) t.match(fileName, /^node:/, file);
    }
  }
  t.strictSame([...imported].sort(), offered, 'all of it, and nothing else');
});
