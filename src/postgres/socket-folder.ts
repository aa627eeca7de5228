import { createHash } from 'node:crypto';
import { lchown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, EmbeddedPostgresError } from './binaries.js';

/** sun_path of unix(7) takes 108 bytes, on macOS 104, the last of them zero. */
const longestSocketPath = 103;

export const socketFile = '.s.PGSQL.5432';

/**
 * The folder of PostgreSQL's socket: that of the data, or, if its path is too long for a socket, one for temporary
 * files.
 *
 * @throws {EmbeddedPostgresError} if that one is somebody else's
 */
export async function makeSocketFolder(data: string, account: Account | undefined): Promise<string> {
  if (fits(data)) return data;
  const name = `plant-store-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`;
  const wanted = join(tmpdir(), name);
  // TMPDIR may be too long as well.
  const folder = fits(wanted) ? wanted : join('/tmp', name);
  await mkdir(folder, { mode: 0o700 }).catch(() => {});
  // Everybody may write there, and so may have made the folder, or a link in its place, first.
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
