/** The layers of src/, and what each may import: one direction, so that each can be read without those above it. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, normalize, sep } from 'node:path';
import t, { type Test as Tap } from 'tap';
import { preProcessFile } from 'typescript';
import { projectFolder } from '../packages/kit/index.js';
import { plantStore } from '../src/plant-store.js';

/** The folders of resources, which only src/plant-store.ts names. */
const resources = plantStore.migrationFolders
  .map((folder) => basename(dirname(folder)))
  .filter((folder) => folder !== 'access');

/** From the bottom to the top. A file at the root of src/ is a layer of its own. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  identity: [],
  'project.ts': [],
  schema: [],
  contract: ['schema'],
  'settings.ts': ['errors'],
  log: ['errors'],
  observability: ['errors'],
  fairness: ['errors', 'identity', 'observability'],
  postgres: ['errors', 'fairness', 'log', 'observability', 'settings.ts'],
  'embedded-postgres': ['errors', 'postgres', 'settings.ts'],
  batching: ['errors', 'fairness', 'observability'],
  store: ['batching', 'contract', 'errors', 'fairness', 'identity', 'postgres', 'schema'],
  access: ['batching', 'errors', 'identity', 'log', 'postgres', 'settings.ts'],
  resources: ['access', 'contract', 'fairness', 'postgres', 'project.ts', 'store'],
  ...Object.fromEntries(
    resources.map((folder) => [folder, ['contract', 'errors', 'identity', 'resources', 'store']]),
  ),
  http: ['contract', 'errors', 'fairness', 'log', 'observability', 'settings.ts'],
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

function layerOf(file: string): string {
  const [layer = ''] = file.split(sep);
  return layer;
}

t.test('each layer imports only layers below it', async (t) => {
  for (const [file, targets] of imports) {
    const layer = layerOf(file);
    if (entrances.includes(layer)) continue;
    const allowed = mayImport[layer];
    if (allowed === undefined) {
      t.fail(
        `src/${file}: the layer "${layer}" is not in the table of this test: add it, with what it may import.`,
      );
      continue;
    }
    const wrong = targets.filter((target) => ![layer, ...allowed].includes(layerOf(target)));
    t.strictSame(wrong, [], `src/${file}: "${layer}" may import ${allowed.join(', ') || 'no other layer'}`);
  }
});

t.test('the table of layers has no circle, and no layer that is gone', async (t) => {
  const below = new Set<string>();
  for (const [layer, allowed] of Object.entries(mayImport)) {
    t.strictSame(
      allowed.filter((one) => !below.has(one)),
      [],
      `what ${layer} may import stands above it in the table`,
    );
    below.add(layer);
  }
  const layers = new Set(files.map(layerOf));
  t.strictSame(
    [...Object.keys(mayImport), ...entrances].filter((layer) => !layers.has(layer)),
    [],
  );
});

/** Fails for each circle of imports, types included. */
function findCircles(t: Tap, imports: ReadonlyMap<string, readonly string[]>): void {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) t.fail(`a circle: ${[...way.slice(way.indexOf(file)), file].join(' → ')}`);
    else if (!done.has(file)) for (const target of imports.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
}

t.test('no file imports itself by way of others', async (t) => findCircles(t, imports));

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
  t.ok(atRoot.length <= maxFilesAtRoot, `${atRoot.join(', ')}: give new ones a layer`);
});

t.test('each large layer has a page that says what it is', async (t) => {
  for (const layer of new Set(files.filter((file) => file.includes(sep)).map(layerOf))) {
    const size = files.filter((file) => layerOf(file) === layer).length;
    if (size > maxFilesWithoutPage)
      t.ok((await readdir(join(source, layer))).includes('README.md'), `src/${layer}/README.md`);
  }
});

t.test('each tool has a page that says what it is', async (t) => {
  for (const layer of ['contract', 'lab']) {
    const folder = join(projectFolder, 'scripts', layer);
    const tools = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    for (const { name: tool } of tools)
      t.ok((await readdir(join(folder, tool))).includes('README.md'), `scripts/${layer}/${tool}/README.md`);
  }
});

/**
 * The layers of scripts/, from the bottom to the top, and what each may import: layers of scripts/ by their paths,
 * those of src/ with `src/` in front, and all below a folder with `/*` behind. A layer is the longest path of the
 * table that a file is below. The files at the root of scripts/ start the tools, and belong to none.
 */
const scriptsMayImport: Readonly<Record<string, readonly string[]>> = {
  // The tools for any contract. Each layer of the check knows those above it in this table only.
  'contract/kit': ['packages/service/src/schema'],
  'contract/document': ['packages/service/src/schema'],
  'contract/values': ['contract/document', 'contract/kit', 'packages/service/src/schema'],
  'contract/resources': ['contract/document', 'contract/values'],
  'contract/check/document': ['contract/document', 'packages/service/src/schema'],
  'contract/check/values': [
    'contract/check/document',
    'contract/document',
    'contract/values',
    'packages/service/src/schema',
  ],
  'contract/check/requests': [
    ...['contract/check/document', 'contract/check/values', 'contract/document', 'contract/kit'],
    'contract/values',
  ],
  'contract/check/answers': [
    ...['contract/check/document', 'contract/check/requests', 'contract/check/values'],
    'contract/resources',
    ...['contract/document', 'contract/kit', 'contract/values', 'packages/service/src/schema'],
  ],
  'contract/check/resources': [
    ...['contract/check/answers', 'contract/check/document', 'contract/check/requests'],
    ...['contract/check/values', 'contract/document', 'contract/kit', 'contract/resources'],
    'contract/values',
  ],
  'contract/check/probes': [
    ...['contract/check/answers', 'contract/check/document', 'contract/check/requests'],
    ...['contract/check/resources', 'contract/check/values', 'contract/document', 'contract/kit'],
    ...['contract/resources', 'contract/values', 'packages/service/src/schema'],
  ],
  'contract/check/verdict': [
    ...['contract/check/answers', 'contract/check/document', 'contract/check/probes'],
    ...['contract/check/resources', 'contract/document', 'contract/resources', 'contract/values'],
  ],
  'contract/check/reporters': [
    ...['contract/check/answers', 'contract/check/requests', 'contract/check/verdict'],
    ...['contract/document', 'contract/kit'],
  ],
  // Its own files are the command.
  'contract/check': [
    ...['contract/check/answers', 'contract/check/document', 'contract/check/probes'],
    ...['contract/check/reporters', 'contract/check/requests', 'contract/check/resources'],
    ...['contract/check/verdict', 'contract/document', 'contract/kit', 'packages/service/src/schema'],
  ],
  'contract/diff': ['contract/document', 'contract/kit', 'packages/service/src/schema'],
  'contract/lint': ['contract/diff', 'contract/document', 'contract/kit', 'packages/service/src/schema'],
  npm: ['contract/kit', 'src/*'],
  codegen: ['contract/document', 'contract/kit', 'npm', 'src/*'],
  // It is made of the service's own layer.
  'contract/mock': [
    ...['contract/document', 'contract/kit', 'contract/values'],
    ...[
      'packages/service/src/api-docs',
      'packages/service/src/contract',
      'packages/service/src/http',
      'packages/service/src/log',
      'packages/service/src/schema',
    ],
    'packages/service/src/settings.js',
  ],
  'contract/programs': ['contract/check', 'contract/diff', 'contract/kit', 'contract/mock'],
  // The laboratory, and what it starts things with, know the service by its programs only.
  kit: ['contract/kit'],
  lab: ['contract/document', 'contract/values', 'kit'],
  'lab/bench': ['contract/kit', 'kit', 'lab'],
  'lab/fuzz': ['contract/document', 'contract/kit', 'kit', 'lab'],
  'lab/survive': [
    ...['contract/check/answers', 'contract/check/document', 'contract/check/requests'],
    ...['contract/document', 'contract/kit', 'kit', 'lab'],
  ],
  'lab/citus': ['contract/kit', 'kit', 'lab/survive'],
  // The service's own tools.
  pack: ['codegen', 'contract/kit', 'generated/*', 'npm', 'src/*'],
  'pack-tools': ['contract/kit', 'pack', 'src/*'],
  lint: ['codegen', 'contract/lint', 'npm', 'pack', 'src/*'],
  dev: [
    'codegen',
    'contract/diff',
    'contract/document',
    'contract/kit',
    'contract/lint',
    'lint',
    'npm',
    'src/*',
  ],
  service: ['contract/kit', 'pack', 'src/*'],
  'new-resource': ['codegen', 'contract/kit', 'npm', 'src/*'],
  stored: ['codegen', 'contract/kit', 'npm', 'src/*'],
  'contract/faults': [
    ...['contract/check', 'contract/check/document', 'contract/check/verdict', 'contract/document'],
    ...['contract/kit', 'contract/values'],
  ],
  faults: ['codegen', 'contract/*', 'examples/*', 'kit', 'npm', 'service', 'src/*'],
  'contract/test': ['contract/*', 'packages/service/src/schema'],
  'contract/test/mock': [
    'contract/*',
    'packages/service/src/contract',
    'packages/service/src/http',
    'packages/service/src/log',
    'packages/service/src/schema',
  ],
};

/** The layer of a script, such as `contract/check/values` or `kit`; undefined if it has none. */
function scriptLayerOf(file: string): string | undefined {
  const folder = dirname(file);
  const layers = Object.keys(scriptsMayImport).filter((layer) => `${folder}/`.startsWith(`${layer}/`));
  return layers.sort((a, b) => b.length - a.length)[0];
}

/** Whether a table's line allows an imported file, by its path from the root of the project. */
function isAllowed(allowed: readonly string[], target: string): boolean {
  const isScript = target.startsWith('scripts/');
  const path = isScript ? target.slice('scripts/'.length) : target;
  const layer = isScript ? scriptLayerOf(path) : target.split(sep).slice(0, 2).join(sep);
  return allowed.some((one) => (one.endsWith('/*') ? path.startsWith(one.slice(0, -1)) : one === layer));
}

const scriptImports = new Map(
  await Promise.all(
    (await readdir(join(projectFolder, 'scripts'), { recursive: true }))
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .map(async (file) => {
        const { importedFiles } = preProcessFile(
          await readFile(join(projectFolder, 'scripts', file), 'utf8'),
        );
        const targets = importedFiles
          .filter(({ fileName }) => fileName.startsWith('.'))
          .map(({ fileName }) => normalize(join('scripts', dirname(file), fileName)));
        return [file, targets] as const;
      }),
  ),
);

t.test('each tool of scripts/, and each layer of the check, imports only layers below it', async (t) => {
  for (const [file, targets] of scriptImports) {
    if (!file.includes(sep)) continue;
    const layer = scriptLayerOf(file);
    if (layer === undefined) {
      t.fail(
        `scripts/${file} is in no layer of the table of this test: add its folder, with what it may import.`,
      );
      continue;
    }
    const allowed = scriptsMayImport[layer] ?? [];
    const isOwn = (target: string): boolean => scriptLayerOf(target.replace(/^scripts\//, '')) === layer;
    t.strictSame(
      targets.filter((target) => !isAllowed(allowed, target) && !isOwn(target)),
      [],
      `scripts/${file}: "${layer}" may import ${allowed.join(', ')}`,
    );
  }
});

t.test('the table of the layers of scripts/ has no circle, and no layer that is gone', async (t) => {
  const below = new Set<string>();
  for (const [layer, allowed] of Object.entries(scriptsMayImport)) {
    const inside = allowed.filter((one) => !/^(?:examples|generated|src)\/|\/\*$/.test(one));
    t.strictSame(
      inside.filter((one) => !below.has(one)),
      [],
      `what ${layer} may import stands above it in the table`,
    );
    below.add(layer);
  }
  const layers = new Set(Array.from(scriptImports.keys(), scriptLayerOf));
  t.strictSame(
    Object.keys(scriptsMayImport).filter((layer) => !layers.has(layer)),
    [],
  );
});

t.test('no script imports itself by way of others', async (t) => {
  const inScripts = Array.from(
    scriptImports,
    ([file, targets]) =>
      [file, targets.map((target) => target.replace(/^scripts\//, '').replace(/\.js$/, '.ts'))] as const,
  );
  findCircles(t, new Map(inScripts));
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
  'packages/service/src/contract/generated.ts',
  'packages/service/src/contract/handlers.ts',
  'packages/service/src/errors/failure.ts',
  'packages/service/src/identity/owner.ts',
  'packages/service/src/resources/service-of.ts',
  'packages/service/src/resources/resource.ts',
  'packages/service/src/serve.ts',
  'packages/service/src/store/table.ts',
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
