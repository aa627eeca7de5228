/** Reads what git has of a file: diff:contract compares with it, and dev. */
import { execFile } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

/** git has no such text, or is not installed. The message is git's reason. */
export class NotInGitError extends Error {}

/**
 * Reads a file's text at a git ref, such as `main` or `v1.0.0`. The file need not exist in the working folder
 * any more.
 *
 * @throws {NotInGitError} if git has no such ref or file there, or is not installed
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
