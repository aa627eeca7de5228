/** Runs the commands of the compiled service, such as `plant-store migrate`, as its operators do. */
import { join } from 'node:path';
import type { Scope } from '../../contract-tools/base.js';
import { run } from './programs.js';
import { projectFolder } from './project.js';

const program = join(projectFolder, 'dist', 'src', 'main.js');
const timeoutMs = 120_000;

/**
 * Makes the service's tables in a database. The service must have been compiled.
 *
 * @throws {ProgramError} if the command fails
 */
export async function migrate(scope: Scope, databaseUrl: string): Promise<void> {
  await plantStore(scope, databaseUrl, ['migrate']);
}

/**
 * Issues a token in a database. The service must have been compiled.
 *
 * @throws {ProgramError} if the command fails
 */
export async function issueToken(scope: Scope, databaseUrl: string, owner: string): Promise<string> {
  return (await plantStore(scope, databaseUrl, ['token', 'issue', owner])).trimEnd();
}

function plantStore(scope: Scope, databaseUrl: string, parameters: readonly string[]): Promise<string> {
  const env = { DATABASE_URL: databaseUrl };
  return run(scope, process.execPath, [program, ...parameters], { env, cwd: projectFolder, timeoutMs });
}
