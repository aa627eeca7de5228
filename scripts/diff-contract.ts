/**
 * `npm run diff:contract -- --base REF`: what changed in openapi/plants.yaml since a git ref, and whether
 * its consumers can live with it. docs/breaking-changes.md says what counts as breaking.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { inspect } from 'node:util';
import { type ContractDocument, ContractError, parseContract } from '../src/contract/document/document.js';
import { contractFile, projectFolder } from '../src/project.js';
import { reasonOf } from '../src/reason.js';
import type { Change } from './diff/change.js';
import { changelogFaults } from './diff/changelog.js';
import { compareContracts } from './diff/compare.js';
import { NotInGitError, textAt } from './diff/git.js';
import { formats } from './diff/report.js';
import { versionFault } from './diff/version.js';
import { parseArguments, runCommand, UsageError } from './kit/command.js';

const help = `Usage: npm run diff:contract -- --base REF [--contract FILE] [--changelog FILE] [--format FORMAT]

Lists what changed in the contract, each change as breaking for API consumers or compatible, and
what the changelog does not say of them.

  --base REF        the old contract: a git ref (main, v1.0.0, HEAD~1), or a file that exists
  --contract FILE   the new contract; openapi/plants.yaml unless given
  --changelog FILE  whose newest section names what changed; for openapi/plants.yaml CHANGELOG.md
  --format FORMAT   text; json; markdown, for a pull request; github, annotations of a workflow
  --help            this text

Exit code: 0 if info.version tells consumers what changed: a breaking change asks for a higher major
number, something added for a minor one, all else for a patch; 1 if it does not, or goes down, or if the
newest section of the changelog is of another version, does not name an operation that changed, or does
not say that something is breaking; 2 could not compare.`;

async function main(): Promise<number> {
  const { base, contract = contractFile, changelog = changelogOf(contract), ...others } = readArguments();
  const { format = 'text', help: wanted } = others;
  if (wanted) {
    console.log(help);
    return 0;
  }
  if (!isFormat(format)) {
    throw new UsageError(`--format "${format}" is none of ${Object.keys(formats).join(', ')}.`);
  }
  if (base === undefined) throw new UsageError('Say what to compare with: --base REF (see --help).');
  const old = await oldContract(base, contract);
  const next = await parseContract(await textOf(contract), relative(process.cwd(), contract));
  const changes = compareContracts(old, next);
  const unsaid = changelog === undefined ? [] : await faultsOf(changelog, changes, old, next);
  const fault = versionFault(changes, old, next);
  const comparison = {
    changes,
    versions: [old.document.info.version, next.document.info.version],
    versionPlace: next.place(['info', 'version']),
    versionFault: fault,
    unsaid,
  } as const;
  console.log(formats[format](comparison));
  return fault === undefined && unsaid.length === 0 ? 0 : 1;
}

function isFormat(name: string): name is keyof typeof formats {
  return Object.hasOwn(formats, name);
}

async function faultsOf(
  file: string,
  changes: readonly Change[],
  old: ContractDocument,
  next: ContractDocument,
): Promise<readonly string[]> {
  // Nothing to tell.
  if (changes.length === 0 && next.document.info.version === old.document.info.version) return [];
  const name = basename(file);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(
      `${name}, which is to name what changed, cannot be read (${error.message}): write it, or name another file with --changelog.`,
    );
  });
  return changelogFaults({ name, text }, changes, next);
}

/** Another contract than the project's own has none that we know of. */
function changelogOf(contract: string): string | undefined {
  return resolve(contract) === contractFile ? join(projectFolder, 'CHANGELOG.md') : undefined;
}

function readArguments() {
  return parseArguments({
    options: {
      base: { type: 'string' },
      contract: { type: 'string' },
      changelog: { type: 'string' },
      format: { type: 'string' },
      help: { type: 'boolean' },
    },
  }).values;
}

/** The contract as it was: in the file `base`, or at the git ref `base` in the place of today's file. */
async function oldContract(base: string, contract: string): Promise<ContractDocument> {
  const isFile = await stat(base)
    .then((found) => found.isFile())
    .catch(() => false);
  if (isFile) return parseContract(await textOf(base), relative(process.cwd(), resolve(base)));
  const name = relative(process.cwd(), contract);
  const text = await textAt(base, contract).catch((error) => {
    if (!(error instanceof NotInGitError)) throw error;
    throw new UsageError(`"${base}" is no file, and git has no contract there: ${error.message}`);
  });
  return parseContract(text, `${base}:${name}`);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

/** A failure that was foreseen is one line. */
function explain(error: unknown): string {
  const isExpected = error instanceof UsageError || error instanceof ContractError;
  return isExpected ? error.message.replaceAll(/\s+/g, ' ') : inspect(error);
}

await runCommand(main, 2, explain);
