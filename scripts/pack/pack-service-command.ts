/**
 * Runs `npm run pack:service`: packs the built service as an npm package that holds its packages, too.
 *
 * npm heeds neither the lock file nor the `overrides` of a package that it installs. It would take the newest
 * versions that the packages admit, which nobody has tested, and some of which need another Node.js. It does
 * not read an npm-shrinkwrap.json in a tarball either. So the tarball bundles the packages of the lock file,
 * as they are installed here. Only those for one kind of machine are left to npm: they are the embedded
 * PostgreSQL, whose version the manifest names exactly.
 *
 * The tarball carries no package with an install script. @scarf/scarf, a dependency of swagger-ui-dist, has one that
 * reports each installation to a third party, and the .npmrc that forbids it here does not travel with a
 * tarball. So such a package is left out, and the packages that name it lose that line of their manifest, or
 * npm would fetch it.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { parseArguments, runCommand } from '../../packages/contract-tools/base.js';
import { projectFolder } from '../../packages/kit/index.js';
import { packFolder } from './tarball.js';

const help = `Usage: npm run pack:service [-- --out FOLDER]

Builds the service, and packs it with the packages that it was tested with.

  --out FOLDER   where the tarball goes; by default dist/
  --help         this text

Exit code: 0; 2 if it could not be packed.`;

interface Manifest {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function main(): Promise<number> {
  const { values } = parseArguments({
    options: { out: { type: 'string', default: join(projectFolder, 'dist') } },
  });
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  try {
    const { scripts, devDependencies, overrides, ...manifest } = await readJson('package.json');
    const { files, dependencies } = manifest as unknown as Manifest;
    const needed = await packagesOfEveryMachine();
    const bundledFolders = needed.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [] : [path]));
    for (const path of [...files, 'README.md', 'LICENSE', ...bundledFolders])
      await cp(join(projectFolder, path), join(folder, path), { recursive: true, filter: isOwnFile });
    await forgetScripted(folder, needed);
    const bundled = { ...manifest, bundleDependencies: Object.keys(dependencies) };
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(bundled, undefined, 2)}\n`);
    console.log(relative(process.cwd(), await packFolder(folder, resolve(values.out))));
    return 0;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Packages inside of packages are named by the lock file themselves. */
function isOwnFile(path: string): boolean {
  return basename(path) !== 'node_modules';
}

/** @returns the packages that the service needs on every machine, with their folders */
async function packagesOfEveryMachine(): Promise<[folder: string, locked: LockedPackage][]> {
  const lock = await readJson('package-lock.json');
  return Object.entries(lock['packages'] as Record<string, LockedPackage>).filter(
    ([path, { dev, os, cpu }]) => path !== '' && !dev && os === undefined && cpu === undefined,
  );
}

/** Removes the packages with an install script from the manifests of those that name them. */
async function forgetScripted(
  folder: string,
  packages: readonly (readonly [folder: string, locked: LockedPackage])[],
): Promise<void> {
  const scripted = new Set(
    packages.flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
    ),
  );
  for (const [path, { dependencies = {} }] of packages) {
    if (!Object.keys(dependencies).some((name) => scripted.has(name))) continue;
    const kept = Object.entries(dependencies).filter(([name]) => !scripted.has(name));
    const manifest = await readJson(join(path, 'package.json'));
    const changed = { ...manifest, dependencies: Object.fromEntries(kept) };
    await writeFile(join(folder, path, 'package.json'), JSON.stringify(changed));
  }
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(projectFolder, file), 'utf8'));
}

await runCommand({ help, main });
