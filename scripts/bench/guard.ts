import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { type Goal, goals } from './goals.js';
import type { Results } from './results.js';
import { summarize } from './statistics.js';

/** A ratio that fell by this share or more is a regression; smaller changes are noise of the machine. */
const tolerance = 0.25;
/**
 * The ratios of throughput that the guard watches. Percentiles of short runs vary too much, and long lists
 * take too long. Ratios to the ceiling depend on the disk, because it does not write (docs/benchmarks.md).
 */
const guarded = /^(?:creates|deletes|page) ÷ (?:fastify-by-hand|go|pgbench)$/;

/** Whether a contestant or a measure is part of one of these ratios. */
export function guards(name: string): boolean {
  return ['plant-store', 'creates', 'deletes', 'page'].includes(name) || guarded.test(`creates ÷ ${name}`);
}

const recordFile = join(projectFolder, 'scripts', 'bench', 'recorded.json');

/** Medians of ratios, by the names of their goals. */
type Ratios = Readonly<Record<string, number>>;

/** The conditions that a ratio depends on, apart from the code. */
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
  /** Undefined if this machine lacks a contestant. */
  readonly measured: number | undefined;
  /** Why the two cannot be compared; undefined if they can. */
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

/** A ratio is better if it is greater, for all of these. */
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
  // If the load generator is the bottleneck, all contestants look alike.
  if (here.generator !== there.generator) return `with ${there.generator}, not ${here.generator}`;
  // One process of Node.js uses one core; the others use all cores.
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
  // The file was written by this program, and is part of this repository.
  return JSON.parse(await readFile(recordFile, 'utf8')) as RatioRecord;
}

export async function writeRecord(results: Results, { cores, generator }: Circumstances): Promise<void> {
  const ratios = guardedRatios(results);
  const record: RatioRecord = { measuredOn: results.conditions, cores, generator, ratios };
  await writeFile(recordFile, `${JSON.stringify(record, undefined, 2)}\n`);
}
