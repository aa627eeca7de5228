import { createHash } from 'node:crypto';
import { lchown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, EmbeddedPostgresError } from './binaries.js';

/** Bytes of sun_path on macOS, without the final zero. */
const longestSocketPath = 103;

export const socketFile = '.s.PGSQL.5432';

/**
 * A temporary folder if the data's path is too long.
 *
 * @throws {EmbeddedPostgresError} if another account owns it
 */
export async function makeSocketFolder(data: string, account: Account | undefined): Promise<string> {
  if (fits(data)) return data;
  const name = `plant-store-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`;
  const wanted = join(tmpdir(), name);
  const folder = fits(wanted) ? wanted : join('/tmp', name);
  await mkdir(folder, { mode: 0o700 }).catch(() => {});
  // It may be another account's, or a link.
  const { uid, mode } = await lstat(folder);
  if (![process.getuid?.(), account?.uid].includes(uid) || (mode & 0o777) !== 0o700) {
    throw new EmbeddedPostgresError(
      `${folder}, where the database's socket belongs, is somebody else's: remove it.`,
    );
  }
  await give(folder, account);
  return folder;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, socketFile)) <= longestSocketPath;
}

const unchanged: Account = { uid: -1, gid: -1 };

export async function give(path: string, { uid, gid }: Account = unchanged): Promise<void> {
  await lchown(path, uid, gid);
}
