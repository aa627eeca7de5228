/**
 * Bundles the packages that the service imports into a few files. A service or a test that begins one loads
 * five hundred files of packages otherwise, and to find and to read them takes a third of its start.
 *
 * For example, `import pg from 'pg'` in a compiled file finds `.tap/compiled/node_modules/pg/index.mjs`
 * before `node_modules/pg/`, because it is nearer. What several packages share, such as Ajv, is in a file of
 * its own. Runs of single files, runs that count coverage, and the service in `dist/` load the packages
 * themselves.
 *
 * The cost: a second before the tests. It saves 0.15 s of each of some hundred and twenty processes.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { projectFolder } from '../../src/project.js';

/** The service and the tools read files of these packages, and do not import them. */
const notImported: readonly string[] = ['swagger-ui-dist', '@seriousme/openapi-schema-validator'];

/** Parts of packages that are imported by a path of their own. */
const parts: readonly string[] = ['ajv/dist/2020.js'];

/** CommonJS needs these names, which a module does not have. */
const commonJs = `
import { createRequire as requireFrom } from 'node:module';
import { dirname as folderOf } from 'node:path';
import { fileURLToPath as pathOf } from 'node:url';
const require = requireFrom(import.meta.url);
const __filename = pathOf(import.meta.url);
const __dirname = folderOf(__filename);`;

/**
 * Bundles each package that package.json names as a dependency.
 *
 * @param folder the node_modules of the compiled project
 * @param common the options of esbuild that all files share
 */
export async function bundlePackages(folder: string, common: BuildOptions): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8'));
  const names = Object.keys(dependencies).filter((name) => !notImported.includes(name));
  const entries = join(folder, '@entries');
  await mkdir(entries, { recursive: true });
  await Promise.all([...names, ...parts].map((name) => writeEntry(entries, name)));
  await build({
    ...common,
    entryPoints: Object.fromEntries([
      ...names.map((name) => [join(name, 'index'), entryOf(entries, name)]),
      ...parts.map((part) => [part, entryOf(entries, part)]),
    ]),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: '@shared/[hash]',
    bundle: true,
    splitting: true,
    // pg loads it only if it is asked for, and it is not installed.
    external: ['pg-native'],
    banner: { js: commonJs },
  });
  for (const name of names) {
    const own = parts.filter((part) => part.startsWith(`${name}/`));
    const exported = own.map((part) => part.slice(name.length + 1));
    const exports = {
      '.': './index.mjs',
      ...Object.fromEntries(exported.map((path) => [`./${path}`, `./${path}.mjs`])),
    };
    await writeFile(join(folder, name, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
  }
  // fastify-openapi-glue's validator reads them from beside itself.
  const schemas = join('@seriousme', 'openapi-schema-validator', 'schemas');
  await cp(join(projectFolder, 'node_modules', schemas), join(folder, 'fastify-openapi-glue', 'schemas'), {
    recursive: true,
  });
  await rm(entries, { recursive: true });
}

function entryOf(entries: string, name: string): string {
  return join(entries, `${name.replaceAll('/', '+')}.mjs`);
}

/** Writes a module that exports what Node.js finds in the package, which esbuild cannot see in CommonJS. */
async function writeEntry(entries: string, name: string): Promise<void> {
  const found = Object.keys(await import(name));
  const exported = found.filter((key) => !['__esModule', 'module.exports'].includes(key));
  await writeFile(entryOf(entries, name), `export { ${exported.join(', ')} } from '${name}';\n`);
}
