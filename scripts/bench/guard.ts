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
 * lists take too long.
 */
const guarded = /^(?:creates|deletes|page) ÷ (?:ceiling|fastify-by-hand|go|pgbench)$/;

/** Whether a contestant or a measure has a part in them. */
export function guards(name: string): boolean {
  return ['plant-store', 'creates', 'deletes', 'page'].includes(name) || guarded.test(`creates ÷ ${name}`);
}

const recordFile = join(projectFolder, 'scripts', 'bench', 'recorded.json');

/** Medians of ratios, under the names of their goals. */
export type Ratios = Readonly<Record<string, number>>;

export interface Verdict {
  readonly name: string;
  readonly recorded: number;
  /** Undefined where a contestant is missing on this machine. */
  readonly measured: number | undefined;
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
export function compare(recorded: Ratios, measured: Ratios): Verdict[] {
  return Object.entries(recorded).map(([name, before]) => {
    const now = measured[name];
    return {
      name,
      recorded: before,
      measured: now,
      fell: now !== undefined && now <= before * (1 - tolerance),
    };
  });
}

export function describe({ name, recorded, measured, fell }: Verdict): string {
  if (measured === undefined) return `not measured here  ${name}: recorded ${recorded}`;
  const change = Math.round((measured / recorded - 1) * 100);
  const words = `${name}: recorded ${recorded}, now ${measured} (${change < 0 ? '' : '+'}${change} %)`;
  return `${fell ? 'fell              ' : 'holds             '} ${words}`;
}

export async function readRecord(): Promise<Ratios> {
  // We wrote it, and its place is in this repository.
  const { ratios } = JSON.parse(await readFile(recordFile, 'utf8')) as { ratios: Ratios };
  return ratios;
}

export async function writeRecord(results: Results): Promise<void> {
  const record = { measuredOn: results.conditions, ratios: guardedRatios(results) };
  await writeFile(recordFile, `${JSON.stringify(record, undefined, 2)}\n`);
}
