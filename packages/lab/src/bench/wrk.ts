/** Makes loads by wrk, whose one thread sends several times as much as any contestant answers. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../../../contract-tools/base.js';
import { projectFolder, run } from '../../../kit/index.js';
import { plantText } from '../plants.js';
import { plant } from './database.js';

/** Which requests are sent, over how many connections, for how long. */
export interface Load {
  /**
   * A page is a list with limit=20. Of 100 requests of a mix, 80 are pages, 12 creates, 3 repeats and 5
   * deletes.
   */
  readonly kind: 'create' | 'delete' | 'page' | 'mix';
  readonly connections: number;
  /** May be a part of a second. */
  readonly seconds: number;
  /** Ids count up from here; every create and every delete has an id of its own. */
  readonly firstId: number;
  /** Requests take the tokens in turn: the plant with id n belongs to the owner n modulo their number. */
  readonly tokens: readonly string[];
  /**
   * The share of requests that may be answered by 400 or more, which do not count. If it is left out, none
   * may.
   */
  readonly mayBeRefused?: number;
}

export interface LoadResult {
  /** The number of requests that were answered, refusals included. */
  readonly requests: number;
  /** The number of requests that were answered a second, without refusals. */
  readonly perSecond: number;
  /** The 99th percentile of all latencies. */
  readonly p99Ms: number;
}

/**
 * Sends a load to a server.
 *
 * @throws {FailedLoadError} if more was refused than may be, or connections broke
 * @throws {ProgramError} if wrk fails
 */
export type SendLoad = (address: string, load: Load) => Promise<LoadResult>;

/** A contestant gave answers that a load must not get, so its figures would be meaningless. */
export class FailedLoadError extends Error {
  override readonly name = 'FailedLoadError';
}

/** The number of loads so far. It begins with 1, because filled stores have the first million of ids. */
let loads = 1;

/**
 * The first id of creates that nobody has sent. Creates of a load that was cut off may still be in flight
 * when the next load begins, and would take its ids.
 */
export function unusedIds(): number {
  return 1 + loads++ * 1_000_000;
}

const script = join(projectFolder, 'packages', 'lab', 'src', 'bench', 'requests.lua');

/**
 * @param wrk the path of the program
 * @param folder takes a file with the tokens
 */
export function wrkLoad(scope: Scope, wrk: string, folder: string): SendLoad {
  return async (address, load) => {
    const tokens = join(folder, 'tokens');
    await writeFile(tokens, `${load.tokens.join('\n')}\n`, { mode: 0o600 });
    const output = await run(
      scope,
      wrk,
      [
        '--threads=1',
        `--connections=${load.connections}`,
        // wrk takes whole seconds. At a SIGINT, it ends early, and its result is that of the time until then.
        `--duration=${Math.ceil(load.seconds)}s`,
        '--timeout=10s',
        `--script=${script}`,
        address,
        '--',
        load.kind,
        tokens,
        String(load.firstId),
        // requests.lua writes the id, and then these members.
        plantText(plant).slice(1),
      ],
      {
        timeoutMs: (load.seconds + 30) * 1_000,
        ...(Number.isInteger(load.seconds) ? {} : { interruptAfterMs: load.seconds * 1_000 }),
      },
    );
    return readResult(output, load);
  };
}

interface Summary {
  readonly requests: number;
  readonly microseconds: number;
  readonly p99Ms: number;
  readonly refused: number;
  readonly broken: number;
}

/** @throws {FailedLoadError} if more was refused than may be, or connections broke */
function readResult(output: string, { mayBeRefused = 0, seconds }: Load): LoadResult {
  // requests.lua writes the last line.
  const summary = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Summary;
  const { requests, microseconds, p99Ms, refused, broken } = summary;
  if (requests === 0 && broken === 0) {
    throw new FailedLoadError(
      `No request was answered within ${seconds} s: measure while nothing else runs on this machine.`,
    );
  }
  const accepted = requests - refused;
  const tolerated = mayBeRefused * requests;
  if (accepted === 0 || refused > tolerated || broken > 0) {
    throw new FailedLoadError(`Of ${requests} requests, ${refused} were refused and ${broken} broke off.`);
  }
  return { requests, perSecond: (accepted / microseconds) * 1e6, p99Ms };
}
