/** Starts programs so that they can be ended together with all that they have started. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A group that was told to end is killed after this time. A service needs some of it to stop its PostgreSQL.
 */
const graceMs = 10_000;

interface ProcessGroup {
  readonly leader: ChildProcess;
  /** Ends the leader and all processes that it or they have started. Resolves when none is left. */
  end(): Promise<void>;
}

/**
 * Starts a program as the leader of a process group of its own. Ending only the program would leave behind
 * what it has started: test files, and the services of the tests.
 */
export function startGroup(
  command: string,
  parameters: readonly string[],
  options: Omit<SpawnOptions, 'detached'>,
): ProcessGroup {
  const leader = spawn(command, parameters, { ...options, detached: true });
  return {
    leader,
    async end() {
      const { pid } = leader;
      if (pid === undefined) return;
      signalGroup(pid, 'SIGTERM');
      const deadline = Date.now() + graceMs;
      while (signalGroup(pid, 0)) {
        if (Date.now() > deadline) signalGroup(pid, 'SIGKILL');
        await pause(50);
      }
    },
  };
}

/**
 * Sends a signal to all processes of the group.
 *
 * @param leader the process id of the leader
 * @returns whether the group has a process left
 */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    // ESRCH: the last process has ended.
    return false;
  }
}
