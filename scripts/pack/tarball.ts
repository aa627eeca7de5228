import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Makes an npm package of the files, by `npm pack`.
 *
 * @param files the content of each file, by its path in the package
 * @param target the folder for the tarball, which is made if need be
 * @returns the tarball's path
 * @throws {Error} if npm refuses the package
 */
export async function packTarball(
  files: ReadonlyMap<string, string | Uint8Array>,
  target: string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  try {
    for (const [name, content] of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    return await packFolder(folder, target);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Makes an npm package of a folder, as `packTarball` does of files.
 *
 * @throws {Error} if npm refuses the package
 */
export async function packFolder(folder: string, target: string): Promise<string> {
  await mkdir(target, { recursive: true });
  const npm = ['pack', '--silent', '--pack-destination', target];
  const { stdout } = await promisify(execFile)('npm', npm, { cwd: folder });
  return join(target, stdout.trim());
}
