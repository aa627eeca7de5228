/**
 * The beginning and the end of every command, which are the same for all. `--help` prints what it does, to
 * stdout, and `--version` the version of its package. Exit code 0 means yes, 1 means no, and 2 that the command could not
 * find out; stderr says why.
 */
import { inspect, type ParseArgsConfig, parseArgs } from 'node:util';
import { ContractError, visible, withExcerpts } from '../../../exact-json/index.js';
import { toolsVersion } from './tools-version.js';

/** A command is called by npm in a project, or as a program of the tools' package in any folder. */
export interface Caller {
  /** A person types this, such as `npm run check:contract --`. */
  readonly command: string;
  /** The contract if the command line names none. */
  readonly contract: string | undefined;
  /** The changelog of that contract, if the command line names none. */
  readonly changelog?: string;
}

/**
 * The command line is wrong. The message says what is wrong with it, and that `--help` lists the options is
 * added.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Does what `parseArgs` of Node.js does.
 *
 * @throws {UsageError} if an option is unknown, or lacks its value
 */
export function parseArguments<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // `parseArgs` throws only Errors, with a sentence for the caller.
    throw new UsageError((error as Error).message);
  }
}

export interface Command {
  readonly help: string;
  readonly args: readonly string[];
  /** Does the work, and returns the exit code. */
  readonly main: () => Promise<number>;
  /** Says why the command failed. */
  readonly explain?: ((error: unknown) => string) | undefined;
}

/** @returns the exit code of `main`; 0 after --help and --version; 2 after an error, which is explained on stderr */
export async function exitCodeOf({ help, args, main, explain = explainCommand }: Command): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(help);
    return 0;
  }
  if (args.includes('--version')) {
    console.log(toolsVersion());
    return 0;
  }
  try {
    return await main();
  } catch (error) {
    console.error(visibleLines(explain(error)));
    return 2;
  }
}

/**
 * A contract's sentence is one line already (contract-error.ts). A stack has several, and an excerpt has the
 * tabs of its file.
 */
function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, (part) => visible(part));
}

/**
 * Runs a command as this process, whose exit code it sets. The process ends once nothing is open any more.
 */
export async function runCommand(command: Omit<Command, 'args'>): Promise<void> {
  process.exitCode = await exitCodeOf({ ...command, args: process.argv.slice(2) });
}

/** @returns what a command prints if it fails */
export function explainCommand(error: unknown): string {
  if (error instanceof UsageError)
    return `${error.message.replace(/\.$/, '')}. \`--help\` lists the options.`;
  return error instanceof ContractError ? withExcerpts(error.message) : inspect(error);
}

/** @throws {UsageError} if there are more than `max` arguments without an option */
export function refuseMore(positionals: readonly string[], max: number): void {
  const surplus = positionals[max];
  if (surplus === undefined) return;
  throw new UsageError(
    `"${surplus}" is one argument too many: name its option, and write "npx --no -- PROGRAM", because npx takes options for its own otherwise.`,
  );
}

/** @throws {UsageError} if neither the command line nor the caller names a contract */
export function contractOf(named: string | undefined, { contract }: Caller): string {
  const file = named ?? contract;
  if (file === undefined)
    throw new UsageError('--contract is missing: name the file of the OpenAPI document.');
  return file;
}
