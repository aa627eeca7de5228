import { execFile } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Git has no such text; the message is git's reason. */
export class NotInGitError extends Error {}

/**
 * A file's text at a git ref.
 *
 * @throws {NotInGitError} also if git is not installed
 */
export async function textAt(ref: string, file: string): Promise<string> {
  // "./" is relative to the working directory, which may be below the top of the repository; without
  // --end-of-options, a ref that begins with a dash would be an option.
  const object = `${ref}:./${basename(file)}`;
  try {
    const { stdout } = await promisify(execFile)('git', ['show', '--end-of-options', object], {
      cwd: dirname(resolve(file)),
      env: { ...process.env, LC_ALL: 'C' },
      maxBuffer: 64 * 2 ** 20,
    });
    return stdout;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ENOENT') throw new NotInGitError('git is not installed');
    throw new NotInGitError(('stderr' in error && String(error.stderr).trim()) || error.message);
  }
}
