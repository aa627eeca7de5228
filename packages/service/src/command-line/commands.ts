/**
 * The commands of `plant-store`, their help, and their exit codes. Each command is a file with a `usage` and
 * a function `run`, which is loaded only if it is asked for.
 */
import { failIfOutputIsLost, surviveLostErrors } from '../log/standard-streams.js';
import { readVersion } from '../project.js';
import { misspeltSettings } from '../settings.js';
import { explainFailure } from '../start/explain-failure.js';
import { parseArguments, UsageError } from './arguments.js';

interface Command {
  readonly usage: string;
  /**
   * @returns the exit code
   * @throws {UsageError} if the command line is wrong
   * @throws {Error} if the command fails; `explainFailure` puts it into words
   */
  run(parameters: string[]): Promise<number>;
}

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  token: () => import('./token-command.js'),
  migrate: () => import('./migrate-command.js'),
  check: () => import('./check-command.js'),
};

const usage = `Serves the plant store. Environment variables are its settings: docs/settings.md lists them.

  plant-store                       serve
  plant-store token issue OWNER     print a new token; "plant-store token --help" has more
  plant-store migrate               apply the new migrations, and do not serve
  plant-store check                 say whether settings, contract, database and tables are in order
  plant-store --help, --version

  Exit code 1: the command failed. Exit code 2: the command line is wrong.`;

const main: Command = {
  usage,
  async run(parameters) {
    const { values, positionals } = parseArguments({
      args: parameters,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    });
    const [name] = positionals;
    if (name !== undefined) throw new UsageError(`"${name}" is not a command.`);
    console.log(values.version ? readVersion() : usage);
    return 0;
  },
};

/**
 * Runs the command that the parameters name, prints why it failed, and sets the exit code of the process. It
 * does not throw what the command throws.
 */
export async function runCommand(parameters: readonly string[]): Promise<void> {
  const [name = '', ...rest] = parameters;
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const command = await load?.();
  for (const sentence of misspeltSettings()) console.error(sentence);
  try {
    if (command === undefined) process.exitCode = await main.run([...parameters]);
    else if (rest.some((word) => word === '--help' || word === '-h')) console.log(command.usage);
    else process.exitCode = await command.run(rest);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(isUsage ? `${error.message}\n\n${(command ?? main).usage}` : explainFailure(error));
    process.exitCode = isUsage ? 2 : 1;
  }
}

/** Runs a command as this process. It fails if the process cannot print what it says. */
export async function runProgram(parameters: readonly string[]): Promise<void> {
  surviveLostErrors();
  failIfOutputIsLost();
  await runCommand(parameters);
}
