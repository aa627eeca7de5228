import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Makes an npm package of the files. @returns the tarball's path in the folder `target` */
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
    await mkdir(target, { recursive: true });
    const npm = ['pack', '--silent', '--pack-destination', target];
    const { stdout } = await promisify(execFile)('npm', npm, { cwd: folder });
    return join(target, stdout.trim());
  } finally {
    await rm(folder, { recursive: true });
  }
}
