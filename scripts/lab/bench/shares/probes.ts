import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { end, ProgramError } from '../../../kit/programs.js';
import type { Scope } from '../../../kit/scope.js';
import type { Server } from '../../../kit/server.js';
import type { Latencies } from './latencies.js';

const program = fileURLToPath(import.meta.resolve('./probe-process.js'));
const none: Latencies = { p50: Number.NaN, p99: Number.NaN };

export interface Probes {
  readonly live: Latencies;
  /** The latencies of `/ready` on the port for operators; NaN for a contestant that has none. */
  readonly ready: Latencies;
}

/**
 * Starts the process that asks: the one that sends the load is busy, and would count its own delays. By hand,
 * there is no `/live`: it is answered by 401, which is no more work.
 *
 * @returns a function that asks for the given number of seconds. It can be called once
 */
export async function startProbes(
  cleanup: Scope,
  { address, adminAddress }: Server,
): Promise<(seconds: number) => Promise<Probes>> {
  const urls = [`${address}/live`, ...(adminAddress === undefined ? [] : [`${adminAddress}/ready`])];
  const child = fork(program, urls, { serialization: 'advanced' });
  cleanup.teardown(() => end(child));
  const ended = once(child, 'exit').then(([code]) => {
    throw new ProgramError(`The process that asks /live ended with ${code}.`);
  });
  const message = async () => (await Promise.race([once(child, 'message'), ended]))[0];
  await message();
  return async (seconds) => {
    const answered = message();
    child.send(seconds);
    // probe-process.ts sends its latencies in this form.
    const [live = none, ready = none] = (await answered) as Latencies[];
    return { live, ready };
  };
}
