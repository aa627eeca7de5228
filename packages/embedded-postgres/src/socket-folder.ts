/**
 * The folder of the socket on which the embedded PostgreSQL listens. It is the folder of the data, which only
 * one account can enter. But the operating system limits the path of a socket to about a hundred bytes, and a
 * project can lie deeper than that. Then the socket gets a temporary folder with a short path. Its name
 * depends on the password of the cluster, so that no other account knows it, and makes the folder first.
 */
import { createHash } from 'node:crypto';
import { lchown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, EmbeddedPostgresError } from './binaries.js';

/**
 * How long the path of a socket may be on macOS, where `sun_path` has the least room, without its final zero.
 */
const maxSocketPathBytes = 103;

/** The name of the socket: PostgreSQL makes it from the port. */
export const socketFile = '.s.PGSQL.5432';

/**
 * Finds a folder for the socket: that of the data, or a temporary one if the path of the data is too long.
 *
 * @param password of the cluster. The folder has another name for each
 * @throws {EmbeddedPostgresError} if the temporary folder belongs to another account
 */
export async function makeSocketFolder(
  data: string,
  account: Account | undefined,
  password: string,
): Promise<string> {
  if (fits(data)) return data;
  const name = `plant-store-${createHash('sha256').update(`${data}\0${password}`).digest('hex').slice(0, 16)}`;
  const wanted = join(tmpdir(), name);
  const folder = fits(wanted) ? wanted : join('/tmp', name);
  await mkdir(folder, { mode: 0o700 }).catch(() => {});
  // Anybody could have made a folder or a link of that name before.
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
  return Buffer.byteLength(join(folder, socketFile)) <= maxSocketPathBytes;
}

const unchanged: Account = { uid: -1, gid: -1 };

/**
 * Changes the owner of a path; without an account, it leaves the owner as it is.
 *
 * @throws {Error} of Node.js, if the path is not there, or its owner must not be changed
 */
export async function give(path: string, { uid, gid }: Account = unchanged): Promise<void> {
  await lchown(path, uid, gid);
}
