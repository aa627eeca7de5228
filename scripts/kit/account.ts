import { chown } from 'node:fs/promises';

/** PostgreSQL and pgbouncer refuse to run as root. If we are root, they run as nobody. */
export const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Gives a file or folder to the account, if that is not ours. */
export async function giveToAccount(path: string): Promise<void> {
  if (account.uid !== undefined) await chown(path, account.uid, account.gid);
}
