/**
 * The commands of a program, such as `plant-store`, their help, and their exit codes. Each command is a file with a `usage` and
 * a function `run`, which is loaded only if it is asked for.
 */
import { misspeltSettings } from '../settings.js';
import { explainFailure } from '../start/explain-failure.js';
import { parseArguments, UsageError } from './arguments.js';
import type { Program } from './program.js';

interface Command {
  readonly usage: (program: string) => string;
  /**
   * @returns the exit code
   * @throws {UsageError} if the command line is wrong
   * @throws {Error} if the command fails; `explainFailure` puts it into words
   */
  run(parameters: string[], program: Program): Promise<number>;
}

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  token: () => import('./token-command.js'),
  migrate: () => import('./migrate-command.js'),
  check: () => import('./check-command.js'),
  ready: () => import('./ready-command.js'),
};

const usage = (
  program: string,
) => `Serves. Environment variables are its settings: docs/settings.md lists them.

  ${program}                       serve
  ${program} token issue OWNER     print a new token; "${program} token --help" has more
  ${program} migrate               apply the new migrations, and do not serve
  ${program} check                 say whether settings, contract, database and tables are in order
  ${program} ready                 say whether the service on this machine can serve now
  ${program} --help, --version

  Exit code 1: the command failed. Exit code 2: the command line is wrong.`;

const main: Command = {
  usage,
  async run(parameters, { name: program, version }) {
    const { values, positionals } = parseArguments({
      args: parameters,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    });
    const [name] = positionals;
    if (name !== undefined) throw new UsageError(`"${name}" is not a command.`);
    console.log(values.version ? version : usage(program));
    return 0;
  },
};

/**
 * Runs the command that the parameters name, prints why it failed, and sets the exit code of the process. It
 * does not throw what the command throws.
 */
export async function runCommand(parameters: readonly string[], program: Program): Promise<void> {
  const [name = '', ...rest] = parameters;
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const command = await load?.();
  for (const sentence of misspeltSettings()) console.error(sentence);
  try {
    if (command === undefined) process.exitCode = await main.run([...parameters], program);
    else if (rest.some((word) => word === '--help' || word === '-h'))
      console.log(command.usage(program.name));
    else process.exitCode = await command.run(rest, program);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(
      isUsage ? `${error.message}\n\n${(command ?? main).usage(program.name)}` : explainFailure(error),
    );
    process.exitCode = isUsage ? 2 : 1;
  }
}
