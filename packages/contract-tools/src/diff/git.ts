/**
 * Reads what git has of a file: diff:contract compares with it, and dev.
 *
 * A comparison with the tip of a branch would blame this branch for what the other one has gained since they
 * parted: an operation that is new on `main` looks like one that was removed here. So `baseOf` finds the
 * merge base, the last commit that both have, as `git diff main...HEAD` does. A tag is a release that
 * consumers have, so it is compared as it is.
 *
 * A pull request can bring a file or a tag that is called as a branch. If either took the branch's place, the
 * author would choose what the contract is compared with. So git is asked first, and a name that means two
 * things is refused.
 */
import { execFile } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

/** git has no such text, or is not installed. The message is git's reason. */
export class NotInGitError extends Error {}

/** git could not say whether there is such a ref: it is not installed, or does not read the repository. */
export class SilentGitError extends NotInGitError {}

/** A name means two things to git. */
export class AmbiguousRefError extends Error {}

/** The commit whose contract is the old one. */
interface Base {
  readonly commit: string;
  /** The first and the second part of `main...HEAD`, if the commit is their merge base and neither of them. */
  readonly parted: readonly [string, string] | undefined;
}

/**
 * Finds the commit to compare with.
 *
 * @param base a ref, such as `main`, which means `main...HEAD`; a tag, such as `v1.0.0`; or `main...HEAD`
 * @param file a file of the repository
 * @throws {SilentGitError} if git is not installed or refuses to read the repository
 * @throws {AmbiguousRefError} if there is a branch and a tag of this name
 * @throws {NotInGitError} if there is no repository or no such ref, or if the two have no commit in common
 */
export async function baseOf(base: string, file: string): Promise<Base> {
  const [, written = base, other] = /^(.*?)\.\.\.(.*)$/s.exec(base) ?? [];
  // git takes HEAD for a side of "..." that is left out.
  const [from, to] = [written || 'HEAD', other || 'HEAD'];
  const [commit, head] = [await commitOf(from, file), await commitOf(to, file)];
  if (other === undefined && (await refNamesOf(from, file)).some(isTag)) return { commit, parted: undefined };
  const common = await git(['merge-base', commit, head], file).catch((error) => {
    if (!(error instanceof NotInGitError)) throw error;
    throw new NotInGitError(
      `${from} and ${to} have no commit in common here: fetch the whole history ("git fetch --unshallow"), or name a tag`,
    );
  });
  const parted = common === commit || common === head ? undefined : ([from, to] as const);
  return { commit: common, parted };
}

async function commitOf(ref: string, file: string): Promise<string> {
  const names = await refNamesOf(ref, file);
  if (names.length > 1) {
    throw new AmbiguousRefError(`"${ref}" is ${names.join(' and ')}: name one of them in full.`);
  }
  return git(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`], file).catch((error) => {
    throw error instanceof NotInGitError ? new NotInGitError(`there is no commit "${ref}"`) : error;
  });
}

/** Lists the full names that a short one can mean (gitrevisions(7)), such as `refs/heads/main`. */
async function refNamesOf(ref: string, file: string): Promise<string[]> {
  const names = [`refs/${ref}`, `refs/tags/${ref}`, `refs/heads/${ref}`, `refs/remotes/${ref}`];
  // for-each-ref takes patterns, and also finds what is below a name.
  const found = await git(['for-each-ref', '--format=%(refname)', ...names], file);
  return found.split('\n').filter((name) => names.includes(name));
}

function isTag(name: string): boolean {
  return name.startsWith('refs/tags/');
}

/**
 * Reads a file's text at a git ref, such as `main` or `v1.0.0`. The file need not exist in the working folder
 * any more.
 *
 * @throws {NotInGitError} if git has no such ref or file there, or is not installed
 */
export async function textAt(ref: string, file: string): Promise<string> {
  // "./" is relative to the working directory, which may be below the top of the repository; without
  // --end-of-options, a ref that begins with a dash would be an option.
  return run(['show', '--end-of-options', `${ref}:./${basename(file)}`], file);
}

async function git(parameters: readonly string[], file: string): Promise<string> {
  return (await run(parameters, file)).trim();
}

async function run(parameters: readonly string[], file: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', parameters, {
      cwd: dirname(resolve(file)),
      env: { ...process.env, LC_ALL: 'C' },
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
