/**
 * Makes the files of a package's tarball, which is whole: it has the compiled files of the package, and of its sibling
 * packages, that its doors and programs load. So it depends on public packages only. A dependency on a sibling would end
 * in E404, because none is in a registry, and anybody could publish one of that name.
 *
 * The files keep their paths: `dist/packages/…` is what is compiled, and `packages/…` has what the compiler does not
 * copy, such as migrations, as in the built project.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { projectFolder } from '../../packages/kit/index.js';
import { loadedBy } from './loaded.js';

type Versions = Readonly<Record<string, string>>;

export interface PackageManifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
}

/** The content of each file, by its path in the package. */
type Files = Map<string, string | Uint8Array>;

/**
 * The tarball carries two files of swagger-ui-dist, because the whole package has 12 MB, and a dependency whose install
 * script reports to a third party.
 */
const swaggerUi = 'swagger-ui-dist';
const swaggerUiFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'];

/** Files of the project that a package makes files of, by the name of the package. */
const carried: Readonly<Record<string, readonly string[]>> = { 'service-tools': ['openapi/plants.yaml'] };

export async function readManifest(name: string): Promise<PackageManifest> {
  return JSON.parse(await readFile(join(projectFolder, 'packages', name, 'package.json'), 'utf8'));
}

/**
 * @param name the package's, such as `service`
 * @param compiled the folder that all packages were compiled to, with declarations
 */
export async function wholePackage(name: string, compiled: string): Promise<Files> {
  const own = await readManifest(name);
  const entries = [...Object.values(own.exports), ...Object.values(own.bin ?? {})];
  const sources = await reachable(
    entries.map((entry) => normalize(entry).replace(/^dist\//, '')),
    compiled,
  );
  const loaded = new Set([...sources.values()].flatMap((text) => loadedBy(text).packages));
  const siblings = [...new Set([...sources.keys()].map((file) => String(file.split('/')[1])))];
  const files: Files = new Map([['LICENSE', await readFile(join(projectFolder, 'LICENSE'))]]);
  for (const file of await readdir(join(projectFolder, 'packages', name)))
    if (file.endsWith('.md')) files.set(file, await readFile(join(projectFolder, 'packages', name, file)));
  for (const [file, text] of sources) files.set(join('dist', file), text);
  for (const file of carried[name] ?? []) files.set(file, await readFile(join(projectFolder, file)));
  for (const sibling of siblings) await addUncompiled(files, join('packages', sibling, 'src'));
  const manifests = await Promise.all(siblings.map(readManifest));
  const versions: Versions = Object.assign({}, ...manifests.map(({ dependencies }) => dependencies));
  const dependencies = Object.fromEntries(
    Object.entries(versions)
      .filter(([dependency]) => loaded.has(dependency))
      .sort(),
  );
  const optionalDependencies: Versions = Object.assign(
    {},
    ...manifests.map((manifest) => manifest.optionalDependencies),
  );
  const carries = swaggerUi in dependencies;
  if (carries) await addSwaggerUi(files);
  const manifest = {
    ...own,
    dependencies,
    optionalDependencies,
    ...(carries && { bundleDependencies: [swaggerUi] }),
  };
  return files.set('package.json', toJson(manifest));
}

/** @returns the texts of the entries, of what they load, and of their declarations, by their paths */
async function reachable(entries: readonly string[], compiled: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (texts.has(file)) continue;
    const text = await readFile(join(compiled, file), 'utf8');
    texts.set(file, text);
    const isDeclaration = file.endsWith('.d.ts');
    if (!isDeclaration) waiting.push(declarationsOf(file));
    for (const specifier of loadedBy(text).files) {
      const target = join(dirname(file), specifier);
      waiting.push(isDeclaration ? declarationsOf(target) : target);
    }
  }
  return texts;
}

function declarationsOf(file: string): string {
  return file.replace(/\.js$/, '.d.ts');
}

async function addUncompiled(files: Files, folder: string): Promise<void> {
  if (!existsSync(join(projectFolder, folder))) return;
  const entries = await readdir(join(projectFolder, folder), { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || /\.(?:ts|md)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(projectFolder.length + 1), await readFile(path));
  }
}

async function addSwaggerUi(files: Files): Promise<void> {
  const folder = join('node_modules', swaggerUi);
  for (const name of swaggerUiFiles)
    files.set(join(folder, name), await readFile(join(projectFolder, folder, name)));
  const { version, license } = JSON.parse(
    await readFile(join(projectFolder, folder, 'package.json'), 'utf8'),
  );
  files.set(join(folder, 'package.json'), toJson({ name: swaggerUi, version, license }));
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
