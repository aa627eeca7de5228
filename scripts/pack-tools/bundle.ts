/**
 * Bundles the programs of the tools' package: this project's own code goes into one folder, and packages stay
 * imports.
 */
import { isBuiltin } from 'node:module';
import { basename, join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { projectFolder } from '../../packages/kit/index.js';

const programNames = ['check-contract', 'diff-contract', 'mock-contract'] as const;

/** The `bin` of the package's manifest names files of this folder. */
const folder = 'program';

interface Bundle {
  /** The keys are names of files. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The packages that the programs import. */
  readonly packages: readonly string[];
}

const here = join(projectFolder, 'packages', 'contract-tools', 'src');

/**
 * Leaves imports of packages as they are. An import without a use is removed: the tools use functions of
 * modules that also have some for PostgreSQL.
 */
const packagesStay: Plugin = {
  name: 'packages stay',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path, external: true, sideEffects: isBuiltin(path) },
    );
  },
};

export async function bundlePrograms(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: programNames.map((name) => join(here, 'programs', `${name}.ts`)),
    outdir: folder,
    absWorkingDir: projectFolder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    plugins: [packagesStay],
    inject: [join(projectFolder, 'scripts', 'pack-tools', 'carried.ts')],
    define: { 'import.meta.resolve': 'resolveCarried' },
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const needed = reachable(metafile.outputs);
  const imported = [...needed]
    .flatMap((name) => metafile.outputs[name]?.imports ?? [])
    .filter(({ external, path }) => external === true && !isBuiltin(path))
    .map(({ path }) => packageOf(path));
  const kept = outputFiles.filter(({ path }) => needed.has(relative(projectFolder, path)));
  return {
    files: new Map(kept.map(({ path, contents }) => [basename(path), contents])),
    packages: [...new Set(imported)].sort(),
  };
}

/**
 * Finds the programs and what they import. esbuild also writes what only code that it has left out would
 * import later.
 */
function reachable(outputs: Metafile['outputs']): ReadonlySet<string> {
  const found = new Set(programNames.map((name) => `${folder}/${name}.js`));
  // The set grows while it is walked.
  for (const name of found) {
    for (const { path, external } of outputs[name]?.imports ?? []) if (external !== true) found.add(path);
  }
  return found;
}

/** Returns the package that an import names: `@fastify/cors` for `@fastify/cors/types/…`. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
