import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { type Goal, goals } from './goals.js';
import type { Results } from './results.js';
import { summarize } from './statistics.js';

/** A ratio that fell by this part or more is a regression; less is what the machine does by itself. */
const tolerance = 0.25;
/**
 * The ratios that the guard watches: those of throughputs. Percentiles of short runs say too little, and long
 * lists take too long. The ceiling does not write: with the same code, creates were 0.50 to 0.81 of it within two hours,
 * as the disk was (docs/benchmarks.md).
 */
const guarded = /^(?:creates|deletes|page) ÷ (?:fastify-by-hand|go|pgbench)$/;

/** Whether a contestant or a measure has a part in them. */
export function guards(name: string): boolean {
  return ['plant-store', 'creates', 'deletes', 'page'].includes(name) || guarded.test(`creates ÷ ${name}`);
}

const recordFile = join(projectFolder, 'scripts', 'bench', 'recorded.json');

/** Medians of ratios, under the names of their goals. */
type Ratios = Readonly<Record<string, number>>;

/** What a ratio depends on beside the code. */
interface Circumstances {
  readonly cores: number;
  readonly generator: string;
}

interface RatioRecord extends Circumstances {
  readonly measuredOn: readonly string[];
  readonly ratios: Ratios;
}

export interface Verdict {
  readonly name: string;
  readonly recorded: number;
  /** Undefined where a contestant is missing on this machine. */
  readonly measured: number | undefined;
  /** Why the two are no match; undefined where they are one. */
  readonly excuse: string | undefined;
  readonly fell: boolean;
}

export function guardedRatios(results: Results): Ratios {
  const pairs = goals
    .filter(({ name }) => guarded.test(name))
    .flatMap((goal: Goal) => {
      const median = summarize(goal.values(results))?.median;
      return median === undefined ? [] : [[goal.name, Number(median.toPrecision(3))] as const];
    });
  return Object.fromEntries(pairs);
}

/** All of these ratios are the better, the greater they are. */
export function judge(
  record: Circumstances & { readonly ratios: Ratios },
  measured: Ratios,
  here: Circumstances,
): Verdict[] {
  return Object.entries(record.ratios).map(([name, recorded]) => {
    const now = measured[name];
    const excuse = excuseFor(name, record, here);
    const fell = excuse === undefined && now !== undefined && now <= recorded * (1 - tolerance);
    return { name, recorded, measured: now, excuse, fell };
  });
}

function excuseFor(name: string, there: Circumstances, here: Circumstances): string | undefined {
  // A generator that is the bottleneck makes all alike.
  if (here.generator !== there.generator) return `with ${there.generator}, not ${here.generator}`;
  // One process of Node.js takes one core wherever it is; these take all that there are.
  if (here.cores !== there.cores && / (?:go|pgbench)$/.test(name))
    return `on ${there.cores} cores, not ${here.cores}`;
  return undefined;
}

export function fallen(verdicts: readonly Verdict[]): string[] {
  return verdicts.filter(({ fell }) => fell).map(({ name }) => name);
}

export function describe({ name, recorded, measured, excuse, fell }: Verdict): string {
  if (measured === undefined) return `not measured here  ${name}: recorded ${recorded}`;
  const change = Math.round((measured / recorded - 1) * 100);
  const figures = `${name}: recorded ${recorded}, now ${measured} (${change < 0 ? '' : '+'}${change} %)`;
  if (excuse !== undefined) return `not judged here    ${figures}; recorded ${excuse}`;
  return `${fell ? 'fell              ' : 'holds             '} ${figures}`;
}

export async function readRecord(): Promise<RatioRecord> {
  // We wrote it, and its place is in this repository.
  return JSON.parse(await readFile(recordFile, 'utf8')) as RatioRecord;
}

export async function writeRecord(results: Results, { cores, generator }: Circumstances): Promise<void> {
  const ratios = guardedRatios(results);
  const record: RatioRecord = { measuredOn: results.conditions, cores, generator, ratios };
  await writeFile(recordFile, `${JSON.stringify(record, undefined, 2)}\n`);
}
