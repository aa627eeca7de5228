import { makeToken } from '../../../src/access/token.js';
import { projectFolder } from '../../../src/project.js';
import { BenchDatabase } from '../../kit/database.js';
import { Postgres } from '../../kit/postgres.js';
import { run } from '../../kit/programs.js';
import type { Scope } from '../../kit/scope.js';
import { Server } from '../../kit/server.js';
import { startCommand } from '../../kit/start-command.js';

const compileMs = 120_000;
/** A heap of 128 MB. It has its full size soon, so that growth after that is a leak. */
const heap = '--max-heap-size=128';

/**
 * Starts the service as `npm start` runs it, but with a small heap, on a PostgreSQL of its own.
 *
 * @returns what the fuzzer needs to know of it. `ended` resolves when the process is gone
 */
export async function startOwnService(
  cleanup: Scope,
): Promise<{ url: URL; token: string; pid: number | undefined; ended: Promise<void> }> {
  await run(cleanup, 'npm', ['run', '--silent', 'build'], { cwd: projectFolder, timeoutMs: compileMs });
  const postgres = await Postgres.open(undefined, cleanup);
  const token = makeToken();
  const { url } = await BenchDatabase.create(postgres, [token]);
  const { file, parameters } = startCommand;
  const command = { file, parameters: [heap, ...parameters] };
  const { address, pid, ended } = await Server.start(cleanup, command, url);
  return { url: new URL(address), token, pid, ended };
}
