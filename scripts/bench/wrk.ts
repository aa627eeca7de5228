import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { plantText } from '../kit/plants.js';
import type { Cleanup } from './cleanup.js';
import { plant } from './database.js';
import { fullListenQueues } from './kernel.js';
import { FailedLoadError, type Load, type LoadResult, type SendLoad, scattering } from './load.js';
import { run } from './programs.js';

/**
 * After this, the kernel tries to connect again if the queue was full (RFC 6298, 2.1). wrk does not count it.
 */
const retryMs = 1_000;

/** Seconds: our script, which ends a load that has a grace, sees no fractions of them. */
const clockStep = 1;

const script = join(projectFolder, 'scripts', 'bench', 'requests.lua');

/** Load from wrk, whose one thread sends several times as much as any contestant answers. */
export function wrkLoad(cleanup: Cleanup, wrk: string, folder: string): SendLoad {
  return async (address, load) => {
    const tokens = join(folder, 'tokens');
    await writeFile(tokens, `${load.tokens.join('\n')}\n`, { mode: 0o600 });
    const before = await fullListenQueues();
    const { grace = 0 } = load;
    const duration = grace === 0 ? load.seconds : load.seconds + clockStep + grace;
    const output = await run(
      cleanup,
      wrk,
      [
        '--threads=1',
        `--connections=${load.connections}`,
        `--duration=${duration}s`,
        '--timeout=10s',
        `--script=${script}`,
        address,
        '--',
        load.kind,
        tokens,
        String(load.firstId),
        String(meanDelay(load)),
        // Multiplying by one leaves the number exact.
        String(load.scattered ? scattering.factor : 1),
        String(scattering.modulus),
        load.newConnections ? '\r\nConnection: close' : '',
        String(grace === 0 ? 0 : load.seconds),
        // The members after the id.
        plantText(plant).slice(1),
      ],
      { timeout: (duration + 30) * 1000 },
    );
    return withRetries(readResult(output, load), (await fullListenQueues()) - before);
  };
}

/** wrk measures from the first byte of a request, not from the connect. */
function withRetries(result: LoadResult, retries: number): LoadResult {
  const atLeast = (value: number, isRetried: boolean) => (isRetried ? Math.max(value, retryMs) : value);
  return {
    ...result,
    p50: atLeast(result.p50, retries > 0.5 * result.requests),
    p99: atLeast(result.p99, retries > 0.01 * result.requests),
    worst: atLeast(result.worst, retries > 0),
  };
}

/** Milliseconds between requests of a connection; at half of the peak, answers take a small part of it. */
function meanDelay({ perSecond, connections }: Load): number {
  return perSecond === undefined ? 0 : (1000 * connections) / perSecond;
}

interface Summary {
  readonly requests: number;
  readonly microseconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly refused: number;
  readonly broken: number;
  /** The connections that got all their answers; only of a load with a grace. */
  readonly finished: number;
}

/** Of a mix, by hand and with Go, a repeat is a conflict. */
const repeats = 0.05;

function readResult(output: string, { kind, connections, grace = 0, mayBeRefused = 0 }: Load): LoadResult {
  // Our script writes the last line.
  const summary = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Summary;
  const { requests, microseconds, p50, p99, refused, broken } = summary;
  const accepted = requests - refused;
  const tolerated = (kind === 'mix' ? repeats : mayBeRefused) * requests;
  if (accepted === 0 || refused > tolerated || broken > 0) {
    throw new FailedLoadError(`Of ${requests} requests, ${refused} were refused and ${broken} broke off.`);
  }
  // wrk counts only what was answered: a connection without its last answer has waited for the whole grace.
  const isAnswered = grace === 0 || summary.finished === connections;
  const worst = isAnswered ? summary.worst : Math.max(summary.worst, grace * 1_000);
  const perSecond = ((kind === 'mix' ? requests : accepted) / microseconds) * 1e6;
  const refusedPerSecond = (refused / microseconds) * 1e6;
  return { requests, perSecond, refusedPerSecond, p50, p99, worst };
}
