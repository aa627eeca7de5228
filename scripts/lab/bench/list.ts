import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { plant } from '../../kit/database.js';
import { FailedLoadError } from '../../kit/load.js';
import { ProgramError, run } from '../../kit/programs.js';
import type { Scope } from '../../kit/scope.js';
import type { Server } from '../../kit/server.js';

export interface ListResult {
  /** Milliseconds to the end of the list. */
  readonly time: number;
  /** Milliseconds to the first byte of the body; NaN if nobody can know. */
  readonly firstByte: number;
  /** Megabytes that the server took above those that it takes when it is idle; NaN if nobody can know. */
  readonly memory: number;
}

const timeoutMs = 300_000;
const plantBytes = JSON.stringify(plant).length;

/**
 * Reads a whole list of this many plants, as fast as it comes.
 *
 * @param idle the memory of the idle server in bytes, if it can be measured
 */
export async function readList(
  server: Server,
  token: string,
  plants: number,
  idle: number | undefined,
): Promise<ListResult> {
  await server.resetPeak();
  const times = await readWhole(server.address, token, plants);
  const peak = (await server.memory())?.peak;
  const memory = idle === undefined || peak === undefined ? Number.NaN : (peak - idle) / 1e6;
  return { ...times, memory };
}

async function readWhole(address: string, token: string, plants: number) {
  const start = performance.now();
  const request = get(`${address}/plants`, {
    headers: { authorization: `Bearer ${token}` },
    timeout: timeoutMs,
  });
  request.on('timeout', () => request.destroy(new Error(`The list took longer than ${timeoutMs / 1000} s.`)));
  const answers: IncomingMessage[] = await once(request, 'response');
  let [firstByte, bytes, end] = [0, 0, ''];
  for (const answer of answers) {
    for await (const chunk of answer) {
      if (bytes === 0) firstByte = performance.now() - start;
      bytes += chunk.length;
      end = chunk.subarray(-1).toString('latin1');
    }
  }
  const time = performance.now() - start;
  if (bytes < plants * plantBytes || end !== ']') {
    throw new FailedLoadError(`The list ended after ${bytes} bytes, and not in a bracket.`);
  }
  return { time, firstByte };
}

/** Reads the same rows with psql, and throws them away. The time is without the start of psql. */
export async function copyList(cleanup: Scope, psql: string, databaseUrl: string): Promise<ListResult> {
  const copy = "\\copy (SELECT name, tag FROM plants WHERE owner = '0' ORDER BY id) TO '/dev/null'";
  const parameters = ['--no-psqlrc', '--command=\\timing on', `--command=${copy}`, databaseUrl];
  const output = await run(cleanup, psql, parameters, { timeoutMs, env: { LC_ALL: 'C' } });
  const time = Number(/^Time: ([0-9.]+) ms/m.exec(output)?.[1]);
  if (!(time > 0)) throw new ProgramError(`psql does not say how long it took:\n${output}`);
  return { time, firstByte: Number.NaN, memory: Number.NaN };
}
