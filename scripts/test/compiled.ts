/**
 * Compiles the project to one folder before the tests run. A hundred processes load the same files: if each
 * compiled what it loads, or asked a loader for it, that would take longer than most of the tests.
 */
import { readdir, rm, symlink } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { reasonOf } from '../../src/errors/reason.js';
import { projectFolder } from '../../src/project.js';
import { excludedPlugins } from './build-tap.js';
import { bundlePackages } from './packages.js';

const compiledFolder = join(projectFolder, '.tap', 'compiled');

const folders = ['examples', 'generated', 'scripts', 'src', 'test'];
/** The compiled files import these, or find them beside themselves. */
const copiedEndings = ['.json', '.md', '.sql', '.yaml'];

const common = {
  absWorkingDir: projectFolder,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  charset: 'utf8',
  logLevel: 'silent',
} satisfies BuildOptions;

/** The project does not compile. The message says where. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
}

/**
 * Compiles all TypeScript without checking its types.
 *
 * @param bundled whether the packages of the service are bundled, which is worth it for many files
 * @throws {CompileError} with all syntax errors
 */
export async function compileProject(bundled: boolean): Promise<void> {
  await rm(compiledFolder, { recursive: true, force: true });
  const packages = bundled ? [bundlePackages(join(compiledFolder, 'node_modules'), common)] : [];
  await Promise.all([compileSources(), bundleTap(), ...packages]).catch((error) => {
    throw new CompileError(reasonOf(error));
  });
}

async function compileSources(): Promise<void> {
  await build({
    ...common,
    entryPoints: (await Promise.all(folders.map(filesOf))).flat(),
    loader: Object.fromEntries(copiedEndings.map((ending) => [ending, 'copy' as const])),
    outbase: projectFolder,
    outdir: compiledFolder,
    sourcemap: true,
    sourcesContent: false,
  });
  // The tests with a browser have packages of their own, if they are installed.
  const packages = join('test', 'browser', 'node_modules');
  await symlink(join(projectFolder, packages), join(compiledFolder, packages));
}

/**
 * Bundles tap without the plugins that .taprc excludes. Node.js finds the bundle before the package, because
 * it is nearer to the compiled files.
 */
async function bundleTap(): Promise<void> {
  const sources = join(projectFolder, 'scripts', 'test', 'tap');
  const packages = join(compiledFolder, 'node_modules');
  const noPlugin = join(sources, 'no-plugin.ts');
  await build({
    ...common,
    entryPoints: [join(sources, 'index.ts')],
    alias: {
      'async-hook-domain': join(sources, 'no-async-hooks.ts'),
      ...Object.fromEntries((await excludedPlugins()).map((name) => [name, noPlugin])),
    },
    // From the stacks of failures, tap leaves out what is in a folder of this name.
    outfile: join(packages, '@tapjs', 'tap', 'index.js'),
    bundle: true,
    // Some of tap's packages are CommonJS.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  await symlink(join('@tapjs', 'tap'), join(packages, 'tap'));
}

/**
 * Finds what a source is compiled to.
 *
 * @param source an absolute path, or one from the project's folder
 * @returns the absolute path
 */
export function compiledFile(source: string): string {
  const path = relative(projectFolder, resolve(projectFolder, source));
  return join(compiledFolder, path.replace(/\.ts$/, '.js'));
}

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(projectFolder, folder), { recursive: true });
  return names
    .filter((name) => !name.includes('node_modules'))
    .filter((name) => ['.ts', ...copiedEndings].some((ending) => name.endsWith(ending)))
    .map((name) => join(folder, name));
}
