/** Runs `npm run pack`: packs each package that is not private, so that it installs alone. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseArguments, runCommand, UsageError } from '../../packages/contract-tools/base.js';
import { projectFolder } from '../../packages/kit/index.js';
import { packTarball } from './tarball.js';
import { readManifest, wholePackage } from './whole-package.js';

const help = `Usage: npm run pack [-- --out FOLDER] [NAME …]

Packs packages as tarballs that install alone, in any folder. Each has what it needs of the others inside.

  NAME           a folder of packages/, such as service; by default all that are not private
  --out FOLDER   where the tarballs go; by default dist/
  --help         this text

Exit code: 0; 2 if one could not be packed.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArguments({
    options: { out: { type: 'string', default: join(projectFolder, 'dist') } },
    allowPositionals: true,
  });
  const known = await publicPackages();
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is not a package to pack: name one of ${known.join(', ')}`);
  const compiled = await mkdtemp(join(tmpdir(), 'compiled-'));
  try {
    await compile(known, compiled);
    for (const name of positionals.length > 0 ? positionals : known)
      console.log(
        relative(process.cwd(), await packTarball(await wholePackage(name, compiled), resolve(values.out))),
      );
    return 0;
  } finally {
    await rm(compiled, { recursive: true });
  }
}

async function publicPackages(): Promise<string[]> {
  const names = await readdir(join(projectFolder, 'packages'));
  const manifests = await Promise.all(names.map(readManifest));
  return names.filter((_, index) => manifests[index]?.private !== true);
}

/** @throws {Error} with the compiler's findings, if the packages do not compile */
async function compile(names: readonly string[], target: string): Promise<void> {
  const configuration = join(target, 'tsconfig.json');
  const folders = names.map((name) => join(projectFolder, 'packages', name));
  await writeFile(
    configuration,
    JSON.stringify({
      extends: join(projectFolder, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        rootDir: projectFolder,
        outDir: target,
        typeRoots: [join(projectFolder, 'node_modules', '@types')],
      },
      include: folders.flatMap((folder) => [join(folder, '*.ts'), join(folder, 'src')]),
      exclude: [],
    }),
  );
  const compiler = join(projectFolder, 'node_modules', 'typescript-7', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [
    compiler,
    '--project',
    configuration,
    '--checkers',
    '1',
  ]).catch((error: { stdout?: string }) => {
    throw new Error(`The packages do not compile:\n${error.stdout}`, { cause: error });
  });
}

await runCommand({ help, main });
