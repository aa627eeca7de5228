/**
 * Tells three places apart: where the user stands, the file, and the top of the repository.
 *
 * Paths of the command line are those of where the user stands, and so are those of a report for people. The file
 * may lie elsewhere, and be a link. git names files from the top of the work tree, and so do annotations: with
 * `working-directory: services/ferry`, GitHub shows an annotation of `openapi/api.yaml` at no file.
 *
 * The repository is that of the file. In a hook, git sets GIT_DIR to the repository that it works on, and takes the folder
 * in which it is called for the top of the work tree. Hence git is asked without these variables first, in the folder of
 * the file, and with them, where the user stands, only if there is no repository around the file.
 */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

/** git has no such text, or is not installed. The message is git's reason. */
export class NotInGitError extends Error {}

/** git could not say whether there is such a ref: it is not installed, or does not read the repository. */
export class SilentGitError extends NotInGitError {}

export interface Repository {
  /** The folder at the top of the work tree. */
  readonly top: string;
  /** The path of the file from there, as git writes it. */
  readonly name: string;
  /**
   * Runs git at the top.
   *
   * @returns what it prints
   * @throws {NotInGitError} if it fails
   */
  git(parameters: readonly string[]): Promise<string>;
}

/**
 * @param file need not exist
 * @throws {SilentGitError} if git is not installed or refuses to read the repository
 * @throws {NotInGitError} if the file is in no work tree
 */
export async function repositoryOf(file: string): Promise<Repository> {
  const folder = await realpath(dirname(resolve(file))).catch((error: Error) => {
    throw new NotInGitError(error.message);
  });
  const own = await realpath(file).catch(() => join(folder, basename(file)));
  const { GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR, GIT_INDEX_FILE, GIT_PREFIX, ...others } = process.env;
  const around = await repositoryAt(own, dirname(own), others).catch((error) => {
    if (GIT_DIR === undefined || !(error instanceof NotInGitError)) throw error;
    return error;
  });
  if (!(around instanceof NotInGitError)) return around;
  const named = await repositoryAt(own, process.cwd(), process.env);
  if (isWithin(named.top, own)) return named;
  throw around;
}

async function repositoryAt(file: string, folder: string, env: NodeJS.ProcessEnv): Promise<Repository> {
  const top = (await run(['rev-parse', '--show-toplevel'], folder, env)).trim();
  const name = relative(top, file).split(sep).join('/');
  return { top, name, git: (parameters) => run(parameters, top, env) };
}

/** @returns the folder from which reports for programs name files: the top, or where the user stands if there is none */
export async function topFor(file: string): Promise<string> {
  const { GITHUB_WORKSPACE } = process.env;
  const tops = await Promise.all([
    GITHUB_WORKSPACE ? realpath(GITHUB_WORKSPACE).catch(() => '') : '',
    repositoryOf(file).then(
      ({ top }) => top,
      () => '',
    ),
  ]);
  const own = await realpath(file).catch(() => resolve(file));
  // The innermost: the workspace may have several repositories, and a repository workspaces.
  const [top] = tops.filter((one) => one !== '' && isWithin(one, own)).sort((a, b) => b.length - a.length);
  return top ?? process.cwd();
}

/** @returns the path of a file from a folder, with slashes; the file as it is if it is elsewhere */
export function pathFrom(top: string, file: string): string {
  const own = existsSync(file) ? realpathSync(file) : resolve(file);
  return isWithin(top, own) ? relative(top, own).split(sep).join('/') : file;
}

function isWithin(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path.split(sep)[0] !== '..' && !isAbsolute(path);
}

async function run(parameters: readonly string[], folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', parameters, {
      cwd: folder,
      env: { ...env, LC_ALL: 'C' },
      maxBuffer: 64 * 2 ** 20,
    });
    return stdout;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ENOENT') throw new SilentGitError('git is not installed');
    const [reason = ''] = (('stderr' in error && String(error.stderr).trim()) || error.message).split('\n');
    throw new (reason.includes('dubious ownership') ? SilentGitError : NotInGitError)(reason);
  }
}
