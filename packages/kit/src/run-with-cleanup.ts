/** Runs a command that starts other programs. */
import { type Command, exitCodeOf, explainCommand } from '../../contract-tools/base.js';
import { Cleanup } from './cleanup.js';

/**
 * Runs a command that starts other programs, as this process. However it ends, also by a signal, what it has
 * started ends with it. It ends the process itself, so nothing after it runs.
 */
export async function runWithCleanup({
  help,
  main,
  explain = explainCommand,
}: Pick<Command, 'help' | 'explain'> & { main(cleanup: Cleanup): Promise<number> }): Promise<void> {
  const cleanup = new Cleanup();
  cleanup.beforeExit();
  const code = await exitCodeOf({
    help,
    explain,
    args: process.argv.slice(2),
    // After a signal, a failure says only that what was started has ended.
    main: () =>
      main(cleanup).catch((error) => {
        if (cleanup.ended) return 2;
        throw error;
      }),
  });
  await cleanup.run();
  // Not by itself, because a connection that was reset while it ended keeps Node.js alive (libuv,
  // uv_tcp_close_reset).
  process.exit(process.exitCode ?? code);
}
