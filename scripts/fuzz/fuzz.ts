import { readFile } from 'node:fs/promises';
import type { Judge } from './answers.js';
import { exchange } from './connection.js';
import { Random } from './random.js';
import { type Case, makeCase } from './requests.js';

export interface FuzzOptions {
  readonly url: URL;
  readonly token: string;
  readonly seed: number;
  readonly seconds: number;
  /** Only this case. */
  readonly only: number | undefined;
  /** A process whose memory may not grow. */
  readonly pid: number | undefined;
  readonly judge: Judge;
  /** Milliseconds. */
  readonly patience: number;
}

interface Finding {
  /** Undefined if it is none of one case. */
  readonly number: number | undefined;
  readonly what: string;
  readonly bytes: string;
}

export interface FuzzReport {
  readonly requests: number;
  readonly cases: number;
  readonly findings: readonly Finding[];
}

const lanes = 16;
const mostFindings = 20;
/** A garbage collection may be due. */
const allowedGrowth = 64 * 2 ** 20;

/** Each case follows from the seed and its number. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seconds, only, pid } = options;
  const findings: Finding[] = [];
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1_000;
  let next = only ?? 0;
  let requests = 0;
  let warm: Promise<number> | undefined;
  const lane = async (): Promise<void> => {
    while (elapsed() < seconds && findings.length < mostFindings) {
      const number = next++;
      const made = caseOf(options, number);
      requests += made.requests;
      findings.push(...(await tryCase(options, made, number)));
      if (pid !== undefined && elapsed() > seconds / 2) warm ??= memoryOf(pid);
      if (only !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: only === undefined ? lanes : 1 }, lane));
  if (pid !== undefined && warm !== undefined) {
    const growth = (await memoryOf(pid)) - (await warm);
    if (growth > allowedGrowth)
      findings.push({
        number: undefined,
        what: `the memory grew by ${growth} bytes in the second half`,
        bytes: '',
      });
  }
  return { requests, cases: only === undefined ? next : 1, findings };
}

function caseOf({ seed, token }: FuzzOptions, number: number): Case {
  // Neighbouring seeds share no case.
  return makeCase(new Random(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)), token);
}

async function tryCase(
  { url, token, judge, patience }: FuzzOptions,
  made: Case,
  number: number,
): Promise<Finding[]> {
  const { bytes, hung } = await exchange(url, made, patience);
  const faults = [...judge(bytes), ...(hung ? [`no end within ${patience / 1_000} s`] : [])];
  const sent = JSON.stringify(
    Buffer.concat(made.pieces).toString('latin1').replaceAll(token, '$PLANTS_TOKEN'),
  );
  return faults.map((what) => ({ number, what, bytes: `${sent.slice(0, 2_000)} ${made.end}` }));
}

/** Bytes (proc(5), statm). */
async function memoryOf(pid: number): Promise<number> {
  const [, resident = ''] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
  return Number(resident) * 4_096;
}
