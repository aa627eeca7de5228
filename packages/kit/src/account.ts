/**
 * The account that runs PostgreSQL and pgbouncer, which refuse to run as root: if we are root, it is
 * nobody's.
 */
import { chown } from 'node:fs/promises';

/** Options for `spawn`; empty if we are not root. */
export const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Gives a file or folder to the account, if the account is not ours. */
export async function giveToAccount(path: string): Promise<void> {
  if (account.uid !== undefined) await chown(path, account.uid, account.gid);
}
