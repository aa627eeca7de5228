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
  contract: [],
  'settings.ts': ['errors'],
  log: ['errors'],
  observability: ['errors', 'log', 'project.ts', 'settings.ts'],
  fairness: ['errors', 'observability'],
  postgres: ['errors', 'fairness', 'log', 'observability', 'settings.ts'],
  'embedded-postgres': ['errors', 'postgres', 'settings.ts'],
  batching: ['errors', 'fairness', 'observability'],
  store: ['batching', 'contract', 'errors', 'fairness', 'postgres'],
  access: ['batching', 'errors', 'fairness', 'log', 'postgres', 'settings.ts'],
  resources: ['access', 'contract', 'fairness', 'postgres', 'project.ts', 'store'],
  ...Object.fromEntries(
    resources.map((room) => [room, ['contract', 'errors', 'fairness', 'resources', 'store']]),
  ),
  http: ['contract', 'errors', 'fairness', 'log', 'observability'],
  'api-docs': ['contract', 'http', 'project.ts'],
  start: ['contract', 'errors', 'postgres', 'project.ts', 'resources', 'settings.ts', 'store'],
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
    t.ok(loaded.has(join('contract', 'start', 'generated.ts')));
    for (const file of ['document/document.ts', 'document/openapi-schema.ts', 'start/check.ts'])
      t.notOk(loaded.has(join('contract', file)), file);
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

/** The room of a script: `kit`, `contract` or a tool of the lab. A line at the root of scripts/ belongs to none. */
function scriptRoomOf(file: string): string | undefined {
  const [folder, tool] = file.split(sep);
  return folder === 'lab' ? `lab/${tool}` : ['kit', 'contract'].includes(folder ?? '') ? folder : undefined;
}

t.test('no tool of scripts/ imports one that stands above it', async (t) => {
  const mayUse = (room: string, target: string) =>
    [room, 'kit'].includes(target) ||
    (room !== 'kit' && target === 'contract') ||
    // It runs the same load against workers that are killed.
    (room === 'lab/citus' && target === 'lab/survive');
  const folder = join(projectFolder, 'scripts');
  for (const file of await readdir(folder, { recursive: true })) {
    const room = scriptRoomOf(file);
    if (room === undefined || !file.endsWith('.ts')) continue;
    const { importedFiles } = preProcessFile(await readFile(join(folder, file), 'utf8'));
    for (const { fileName } of importedFiles.filter(({ fileName }) => fileName.startsWith('.'))) {
      const target = scriptRoomOf(normalize(join(dirname(file), fileName)));
      if (target !== undefined) t.ok(mayUse(room, target), `scripts/${file} imports ${fileName}`);
    }
  }
});

/** What a service of one's own is made with: whoever changes these changes the services of others. */
const offered: readonly string[] = [
  'src/contract/handlers.ts',
  'src/contract/generated.ts',
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
