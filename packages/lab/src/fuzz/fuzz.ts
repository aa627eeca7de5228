/** Sends cases of broken HTTP to a server, one after the other, and collects what it should not have done. */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Random, UnreachableError } from '../../../contract-tools/base.js';
import { sendBytes } from '../../../kit/index.js';
import type { Judge } from './answers.js';
import { type Case, makeCase } from './requests.js';

export interface FuzzOptions {
  readonly url: URL;
  /** A good token, which reports do not show. */
  readonly token: string;
  readonly seed: number;
  readonly seconds: number;
  /** The number of the only case to run; all are run if it is undefined. */
  readonly only: number | undefined;
  /** A process whose memory must not grow. */
  readonly pid: number | undefined;
  /** Resolves when the process is gone; undefined if somebody else started it. */
  readonly ended: Promise<unknown> | undefined;
  readonly judge: Judge;
  /** How long the server may take to close a connection that the client has ended. */
  readonly closeTimeoutMs: number;
}

interface FuzzFinding {
  /** The number of the case; undefined if the finding does not belong to one. */
  readonly number: number | undefined;
  readonly what: string;
  readonly bytes: string;
}

export interface FuzzReport {
  /** The number of requests that the cases were meant to hold. */
  readonly requests: number;
  readonly cases: number;
  readonly findings: readonly FuzzFinding[];
}

const lanes = 16;
const maxFindings = 20;
/** How much the memory may grow, because a garbage collection may be due. */
const maxGrowthBytes = 64 * 2 ** 20;
/** How long it may take until the end of a process is known here, also on a busy machine. */
const newsMs = 2_000;

/**
 * Sends cases until the time is over, or enough was found. Each case follows from the seed and its number.
 *
 * @throws {UnreachableError} if nobody accepts connections any more, although the process goes on, or is not
 *   known
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seconds, only, pid, ended } = options;
  const findings: FuzzFinding[] = [];
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1_000;
  let next = only ?? 0;
  let requests = 0;
  let warm: Promise<number> | undefined;
  let hasEnded = false;
  void ended?.then(() => {
    hasEnded = true;
  });
  // The latest cases of each lane. The server may have ended at one, and the client hears of that at the
  // next.
  const latest: (readonly number[])[] = [];
  const lane = async (_: unknown, at: number): Promise<void> => {
    while (!hasEnded && elapsed() < seconds && findings.length < maxFindings) {
      const number = next++;
      latest[at] = [...(latest[at] ?? []).slice(-1), number];
      const made = caseOf(options, number);
      requests += made.requests;
      findings.push(...(await tryCase(options, made, number)));
      if (pid !== undefined && elapsed() > seconds / 2 && warm === undefined) {
        warm = memoryOf(pid);
        // The loop reports the end of the process first. Without this, a rejection would end the fuzzer
        // before.
        warm.catch(() => {});
      }
      if (only !== undefined) return;
    }
  };
  let unreachable: UnreachableError | undefined;
  try {
    await Promise.all(Array.from({ length: only === undefined ? lanes : 1 }, lane));
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    unreachable = error;
  }
  const cases = only === undefined ? next : 1;
  // The process may have ended at the last case.
  if (ended !== undefined && (await Promise.race([ended.then(() => true), pause(newsMs, false)]))) {
    findings.push(endFinding(options, latest.flat()));
    return { requests, cases, findings };
  }
  if (unreachable !== undefined) throw unreachable;
  if (pid !== undefined && warm !== undefined) {
    const growth = (await memoryOf(pid)) - (await warm);
    if (growth > maxGrowthBytes)
      findings.push({
        number: undefined,
        what: `the memory grew by ${growth} bytes in the second half`,
        bytes: '',
      });
  }
  return { requests, cases, findings };
}

/** @param numbers the numbers of the cases that may have ended the process */
function endFinding({ seed }: FuzzOptions, numbers: readonly number[]): FuzzFinding {
  const sorted = numbers.toSorted((one, other) => one - other);
  return {
    number: undefined,
    what: 'the process ended at one of the cases in flight, or of those just before:',
    bytes: `npm run fuzz -- --seed ${seed} --case ${sorted.join(' or ')}`,
  };
}

function caseOf({ seed, token }: FuzzOptions, number: number): Case {
  // Neighbouring seeds share no case.
  return makeCase(new Random(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)), token);
}

async function tryCase(
  { url, token, judge, closeTimeoutMs }: FuzzOptions,
  made: Case,
  number: number,
): Promise<FuzzFinding[]> {
  const { pieces, end: finish } = made;
  const { received, end } = await sendBytes(url, pieces, { finish, patienceMs: closeTimeoutMs });
  const hung = end === 'still open' ? [`no end within ${closeTimeoutMs / 1_000} s`] : [];
  const faults = [...judge(received), ...hung];
  const sent = JSON.stringify(Buffer.concat(pieces).toString('latin1').replaceAll(token, '$PLANTS_TOKEN'));
  return faults.map((what) => ({ number, what, bytes: `${sent.slice(0, 2_000)} ${finish}` }));
}

/** @returns the resident memory of a process in bytes (proc(5), statm) */
async function memoryOf(pid: number): Promise<number> {
  const [, resident = ''] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
  return Number(resident) * 4_096;
}
