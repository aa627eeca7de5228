import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { plant } from './database.js';
import { fullListenQueues } from './kernel.js';
import { FailedLoadError, type Load, type LoadResult, type SendLoad } from './load.js';
import { plantText } from './plants.js';
import { run } from './programs.js';
import type { Scope } from './scope.js';

/**
 * If the listen queue is full, the kernel of the client tries to connect again after this time (RFC 6298,
 * section 2.1). wrk does not count it.
 */
const retryMs = 1_000;

const script = join(projectFolder, 'scripts', 'kit', 'requests.lua');

/** Makes loads by wrk, whose one thread sends several times as much as any contestant answers. */
export function wrkLoad(scope: Scope, wrk: string, folder: string): SendLoad {
  return async (address, load) => {
    const tokens = join(folder, 'tokens');
    await writeFile(tokens, `${load.tokens.join('\n')}\n`, { mode: 0o600 });
    const before = await fullListenQueues();
    const options = [`--connections=${load.connections}`, `--duration=${load.seconds}s`];
    const output = await run(
      scope,
      wrk,
      [
        ...['--threads=1', ...options, '--timeout=10s', `--script=${script}`, address],
        ...['--', load.kind, tokens, String(load.firstId)],
        // requests.lua writes the id, and then these members.
        plantText(plant).slice(1),
      ],
      { timeoutMs: (load.seconds + 30) * 1000 },
    );
    return withRetries(readResult(output, load), (await fullListenQueues()) - before);
  };
}

/** Adds the time of connects that were tried again, because wrk measures from the first byte of a request. */
function withRetries(result: LoadResult, retries: number): LoadResult {
  const atLeast = (value: number, isRetried: boolean) => (isRetried ? Math.max(value, retryMs) : value);
  return {
    ...result,
    p50: atLeast(result.p50, retries > 0.5 * result.requests),
    p99: atLeast(result.p99, retries > 0.01 * result.requests),
  };
}

interface Summary {
  readonly requests: number;
  readonly microseconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
  readonly broken: number;
}

/** The share of a mix that may be refused: the bare peers answer a repeated create with 409. */
const maxRefusedOfMix = 0.05;

function readResult(output: string, { kind, mayBeRefused = 0 }: Load): LoadResult {
  // requests.lua writes the last line.
  const summary = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Summary;
  const { requests, microseconds, p50, p99, refused, broken } = summary;
  const accepted = requests - refused;
  const tolerated = (kind === 'mix' ? maxRefusedOfMix : mayBeRefused) * requests;
  if (accepted === 0 || refused > tolerated || broken > 0) {
    throw new FailedLoadError(`Of ${requests} requests, ${refused} were refused and ${broken} broke off.`);
  }
  const perSecond = ((kind === 'mix' ? requests : accepted) / microseconds) * 1e6;
  const refusedPerSecond = (refused / microseconds) * 1e6;
  return { requests, perSecond, refusedPerSecond, p50, p99 };
}
