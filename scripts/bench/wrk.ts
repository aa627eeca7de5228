import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import type { Cleanup } from './cleanup.js';
import { fullListenQueues } from './kernel.js';
import { FailedLoadError, type Load, type LoadResult, type SendLoad, scattering } from './load.js';
import { run } from './programs.js';

/** After this, the kernel tries to connect again if the queue was full (RFC 6298, 2.1). wrk does not count it. */
const retryMs = 1_000;

const script = join(projectFolder, 'scripts', 'bench', 'requests.lua');

/** Load from wrk, whose one thread sends several times as much as any contestant answers. */
export function wrkLoad(cleanup: Cleanup, wrk: string, folder: string): SendLoad {
  return async (address, load) => {
    const tokens = join(folder, 'tokens');
    await writeFile(tokens, `${load.tokens.join('\n')}\n`, { mode: 0o600 });
    const before = await fullListenQueues();
    const output = await run(
      cleanup,
      wrk,
      [
        '--threads=1',
        `--connections=${load.connections}`,
        `--duration=${load.seconds}s`,
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
      ],
      { timeout: (load.seconds + 30) * 1000 },
    );
    const result = readResult(output, load);
    if ((await fullListenQueues()) === before) return result;
    return { ...result, worst: Math.max(result.worst, retryMs) };
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
}

/** Of a mix, by hand and with Go, a repeat is a conflict. */
const repeats = 0.05;

function readResult(output: string, { kind }: Load): LoadResult {
  // Our script writes the last line.
  const summary = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Summary;
  const mayBeRefused = kind === 'mix' ? repeats * summary.requests : 0;
  if (summary.requests === 0 || summary.refused > mayBeRefused || summary.broken > 0) {
    throw new FailedLoadError(
      `Of ${summary.requests} requests, ${summary.refused} were refused and ${summary.broken} broke off.`,
    );
  }
  const { requests, microseconds, p50, p99, worst } = summary;
  return { requests, perSecond: (requests / microseconds) * 1e6, p50, p99, worst };
}
