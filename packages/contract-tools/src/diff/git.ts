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
import { NotInGitError, type Repository, repositoryOf } from '../base/repository.js';

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
 * @throws {AmbiguousRefError} if there is a branch and a tag of this name
 * @throws {NotInGitError} if there is no such ref, or if the two have no commit in common
 */
export async function baseOf(base: string, repository: Repository): Promise<Base> {
  const [, from = base, other] = /^(.*?)\.\.\.(.*)$/s.exec(base) ?? [];
  // git takes HEAD for a side of "..." that is left out.
  const to = other || 'HEAD';
  const [commit, head] = [await commitOf(from, repository), await commitOf(to, repository)];
  if (other === undefined && (await refNamesOf(from, repository)).some(isTag))
    return { commit, parted: undefined };
  const common = await lineOf(['merge-base', commit, head], repository).catch(async (error) => {
    if (!(error instanceof NotInGitError)) throw error;
    const advice = (await isShallow(repository))
      ? `${deepen}, or name a tag`
      : 'name another branch, or a tag';
    throw new NotInGitError(`${from} and ${to} have no commit in common here: ${advice}`);
  });
  const parted = common === commit || common === head ? undefined : ([from, to] as const);
  return { commit: common, parted };
}

/** A checkout of a workflow has one commit by default. */
const deepen =
  'this clone lacks the older commits: set "fetch-depth: 0" for actions/checkout, or run "git fetch --unshallow"';

async function isShallow(repository: Repository): Promise<boolean> {
  return (await lineOf(['rev-parse', '--is-shallow-repository'], repository)) === 'true';
}

async function commitOf(ref: string, repository: Repository): Promise<string> {
  const names = await refNamesOf(ref, repository);
  if (names.length > 1) {
    throw new AmbiguousRefError(`"${ref}" is ${names.join(' and ')}: name one of them in full.`);
  }
  const parameters = ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`];
  return lineOf(parameters, repository).catch(async (error) => {
    if (!(error instanceof NotInGitError)) throw error;
    const isRemote = (await refNamesOf(`origin/${ref}`, repository)).length > 0;
    const advice = isRemote
      ? `write "origin/${ref}"`
      : (await isShallow(repository))
        ? `${deepen} and "git fetch origin ${ref.replace(/^origin\//, '')}"`
        : 'fetch it, or name another';
    throw new NotInGitError(`there is no commit "${ref}": ${advice}`);
  });
}

/** Lists the full names that a short one can mean (gitrevisions(7)), such as `refs/heads/main`. */
async function refNamesOf(ref: string, repository: Repository): Promise<string[]> {
  const names = [`refs/${ref}`, `refs/tags/${ref}`, `refs/heads/${ref}`, `refs/remotes/${ref}`];
  // for-each-ref takes patterns, and also finds what is below a name.
  const found = await lineOf(['for-each-ref', '--format=%(refname)', ...names], repository);
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
  return textIn(await repositoryOf(file), ref);
}

/** @throws {NotInGitError} if the repository's file is not in the commit */
export function textIn({ git, name }: Repository, ref: string): Promise<string> {
  // Without --end-of-options, a ref that begins with a dash would be an option.
  return git(['show', '--end-of-options', `${ref}:${name}`]);
}

async function lineOf(parameters: readonly string[], { git }: Repository): Promise<string> {
  return (await git(parameters)).trim();
}
