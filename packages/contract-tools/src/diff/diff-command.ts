/**
 * Runs the command diff:contract: reads the old contract from git or a file, compares it with the new one,
 * judges the version and the changelog, and prints the report.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { ContractError } from '../../../exact-json/index.js';
import { readAcceptances } from '../base/acceptances.js';
import { readReports, reportHelp, writeReports } from '../base/report/reporter.js';
import { NotInGitError, type Repository, repositoryOf, SilentGitError } from '../base/repository.js';
import {
  type Caller,
  contractOf,
  exitCodeOf,
  explainCommand,
  parseArguments,
  refuseMore,
  UsageError,
} from '../base/run-command.js';
import { type ApiDocument, readDocument } from '../document/read-document.js';
import { accept, faultOfId } from './accept.js';
import type { Change } from './change.js';
import { changelogFaults } from './changelog.js';
import { compareContracts } from './compare.js';
import { AmbiguousRefError, baseOf, textIn } from './git.js';
import { resultsOf } from './report.js';
import { toldOnce } from './told-once.js';
import { versionFault, versionOf } from './version.js';

function helpFor({ command, contract }: Caller): string {
  const isOwn = contract !== undefined;
  return `Usage: ${command} --base REF ${isOwn ? '[--contract FILE]' : '--contract FILE'} [--changelog FILE]
       [--accept FILE] [--reporter NAME] [--report NAME:FILE]

Lists the changes of the contract, each as breaking for API consumers or as compatible, and the changes
that are missing in the changelog.

  --base REF        the old contract: at the last commit that a branch or commit (main, HEAD~1) has in
                    common with HEAD, or that two have (main...HEAD); at a tag (v1.0.0); or a file
  --contract FILE   the new contract, of OpenAPI 3.0, 3.1 or 3.2${isOwn ? '; by default openapi/plants.yaml' : ''}
  --changelog FILE  the changelog${isOwn ? '; by default CHANGELOG.md, if the contract is openapi/plants.yaml' : ''}
  --accept FILE     a list of breaking changes to let through, each with id, operations, pointer, members and
                    what, as the JSON report has them; an entry that lets nothing through is named
  ${reportHelp('                ')}
  --version         the version of the tools
  --help            this text

Each change has an id, such as request-property-max-length-decreased. ${isOwn ? 'packages/contract-tools/change-ids.md' : 'change-ids.md of this package'} lists them.

Exit code:
  0  info.version and the changelog fit the changes
  1  info.version went down, or does not fit: a breaking change needs a higher major number, an
     addition a higher minor number, anything else a higher patch number
  1  the newest section of the changelog has another version, does not name an operation that
     changed, or does not say "breaking" of a breaking change
  2  the contracts could not be compared`;
}

/**
 * @returns the exit code: 0 if version and changelog fit the changes, 1 if not, 2 if nothing could be
 *   compared
 */
export function diffContract(args: readonly string[], caller: Caller): Promise<number> {
  return exitCodeOf({ help: helpFor(caller), args, main: () => main(args, caller), explain });
}

async function main(args: readonly string[], caller: Caller): Promise<number> {
  const { values, positionals } = readArguments(args);
  // `npx --no diff-contract --base REF --contract FILE` arrives as `REF FILE`
  // (packages/contract-tools/src/check/command-line.ts).
  refuseMore(positionals, 2);
  const base = values.base ?? positionals[0];
  const contract = contractOf(values.contract ?? positionals[1], caller);
  const changelog = values.changelog ?? changelogOf(contract, caller);
  const reports = readReports(values);
  if (base === undefined) throw new UsageError('--base REF is missing: say what to compare with.');
  // git takes HEAD for a name that is left out, and nothing would differ.
  if (/^\s*(?:\.{2,3}(?!\/)|$)|\/$/.test(base)) {
    throw new UsageError(
      `--base is ${base === '' ? 'empty' : `"${base}", which names no branch`}: name a branch, such as main, or a tag. In a workflow, GITHUB_BASE_REF and github.base_ref are set for pull requests only.`,
    );
  }
  const next = readDocument(await textOf(contract), relative(process.cwd(), contract));
  const { old, mergeBase } = await oldContract(base, contract);
  const acceptances = values.accept === undefined ? [] : await readAcceptances(values.accept, faultOfId);
  const { changes, stale } = accept(compareContracts(old, next), acceptances);
  const unsaid = changelog === undefined ? [] : await faultsOf(changelog, changes, old, next);
  const fault = versionFault(changes, old, next);
  const comparison = {
    changes: toldOnce(changes),
    versions: [versionOf(old.root), versionOf(next.root)],
    openapi: [old.openapi, next.openapi],
    mergeBase,
    stale,
    versionPlace: next.place(['info', 'version']),
    versionFault: fault,
    unsaid,
  } as const;
  await writeReports(reports, resultsOf(comparison), contract);
  return fault === undefined && unsaid.length === 0 ? 0 : 1;
}

async function faultsOf(
  file: string,
  changes: readonly Change[],
  old: ApiDocument,
  next: ApiDocument,
): Promise<readonly string[]> {
  // The changelog need not mention anything.
  if (changes.length === 0 && versionOf(next.root) === versionOf(old.root)) return [];
  const name = basename(file);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(
      `The changelog ${name} cannot be read (${error.message}): write it, or name another file with --changelog.`,
    );
  });
  return changelogFaults({ name, text }, changes, next);
}

/** Only the caller's own contract has a known changelog. */
function changelogOf(contract: string, { contract: own, changelog }: Caller): string | undefined {
  return own !== undefined && resolve(contract) === own ? changelog : undefined;
}

function readArguments(args: readonly string[]) {
  return parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      base: { type: 'string' },
      contract: { type: 'string' },
      changelog: { type: 'string' },
      accept: { type: 'string' },
      reporter: { type: 'string' },
      report: { type: 'string', multiple: true },
    },
  });
}

interface OldContract {
  readonly old: ApiDocument;
  /** Says with which commit a ref was compared, if that is not the ref's own. */
  readonly mergeBase?: string;
}

/**
 * Reads the old contract: the file `contract` at the commit that `base` means to git (git.ts), or the file
 * `base`.
 *
 * @throws {UsageError} if there is neither, or if there are both
 */
async function oldContract(base: string, contract: string): Promise<OldContract> {
  const isFile = await stat(base)
    .then((found) => found.isFile())
    .catch(() => false);
  const found = await inGit(base, contract).catch((error) => {
    if (error instanceof AmbiguousRefError) throw new UsageError(error.message);
    if (!(error instanceof NotInGitError)) throw error;
    return error;
  });
  if (found instanceof NotInGitError) {
    if (!isFile) {
      throw new UsageError(`"${base}" is not a file, and git has no contract there: ${found.message}`);
    }
    // If git cannot be asked, "main" may be a branch all the same.
    if (found instanceof SilentGitError && !isPath(base)) {
      throw new UsageError(
        `"${base}" may be a git ref, and git does not say (${found.message}): if the file is meant, write "./${base}".`,
      );
    }
    return { old: readDocument(await textOf(base), relative(process.cwd(), resolve(base))) };
  }
  if (isFile) {
    throw new UsageError(
      `"${base}" is a git ref and a file: write "./${base}" for the file, or remove the file to compare with the ref.`,
    );
  }
  const { commit, parted, repository } = found;
  const text = await textIn(repository, commit).catch((error) => {
    if (!(error instanceof NotInGitError)) throw error;
    throw new UsageError(
      `"${base}" has no ${repository.name}: if the contract was another file there, save that one ("git show ${base}:PATH > old.yaml"), and write "--base ./old.yaml".`,
    );
  });
  const name = relative(process.cwd(), contract);
  const short = commit.slice(0, 12);
  return {
    old: readDocument(text, `${parted === undefined ? base : short}:${name}`),
    ...(parted && {
      mergeBase: `Compared with ${short}, the last commit that ${parted.join(' and ')} have in common.`,
    }),
  };
}

async function inGit(base: string, contract: string) {
  const repository: Repository = await repositoryOf(contract);
  return { repository, ...(await baseOf(base, repository)) };
}

/** Whether a text is written as the path of a contract, and no name of a ref. */
function isPath(text: string): boolean {
  return /^\.{0,2}\/|\.(ya?ml|json)$/.test(text);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // The file system throws only Errors.
    throw new UsageError((error as Error).message);
  }
}

/** Prints a fault of a contract on one line. */
function explain(error: unknown): string {
  return error instanceof ContractError ? error.message.replaceAll(/\s+/g, ' ') : explainCommand(error);
}
