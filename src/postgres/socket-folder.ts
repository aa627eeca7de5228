import { createHash } from 'node:crypto';
import { lchown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, EmbeddedPostgresError } from './binaries.js';

/** sun_path of unix(7) has 108 bytes on Linux and 104 on macOS; the last one is zero. */
const longestSocketPath = 103;

export const socketFile = '.s.PGSQL.5432';

/**
 * The folder of PostgreSQL's socket: the folder of the data, or a temporary one if that path is too long.
 *
 * @throws {EmbeddedPostgresError} if the temporary folder belongs to another account
 */
export async function makeSocketFolder(data: string, account: Account | undefined): Promise<string> {
  if (fits(data)) return data;
  const name = `plant-store-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`;
  const wanted = join(tmpdir(), name);
  // TMPDIR may be too long as well.
  const folder = fits(wanted) ? wanted : join('/tmp', name);
  await mkdir(folder, { mode: 0o700 }).catch(() => {});
  // Anybody can write there, so another account may have made the folder, or a link of that name.
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

/** chown(2): -1 changes nothing. */
const unchanged: Account = { uid: -1, gid: -1 };

export async function give(path: string, { uid, gid }: Account = unchanged): Promise<void> {
  await lchown(path, uid, gid);
}
