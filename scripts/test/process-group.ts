import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/** A process that was told to end may take this long: a service stops its PostgreSQL in that time. */
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

/** @returns whether the group has a process left */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    // ESRCH: the last process has ended.
    return false;
  }
}
