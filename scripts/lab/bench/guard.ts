/** Finds out whether the throughputs, as ratios to Fastify by hand, have fallen since they were recorded. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../../src/project.js';
import { service } from './contestants.js';
import { reference } from './quick.js';
import { type Measured, ratiosOf } from './results.js';
import { summarize } from './statistics.js';

/** A ratio that is lower by this share or more than in any recorded run is a regression. */
const tolerance = 0.25;
/** A ratio that seems to have fallen by this share is measured again. */
const suspicion = 0.15;
/** What the whole guard may take, and what a round takes to measure one ratio again, after a new start. */
const seconds = { all: 120, start: 12, ratio: 2.5 };
const maxRoundsAgain = 4;
/** How many runs the record keeps. */
const maxRuns = 5;

const recordFile = join(projectFolder, 'scripts', 'lab', 'bench', 'recorded.json');

/** The ratios of each round, by names of the form "creates with 64". */
export type Ratios = Readonly<Record<string, readonly number[]>>;

/** The medians of one run. */
interface Run {
  readonly taken: string;
  readonly ratios: Readonly<Record<string, number>>;
}

export interface Verdict {
  readonly name: string;
  readonly recorded: number;
  /** The ratio that was measured; undefined if this machine lacks a contestant. */
  readonly measured: number | undefined;
  /** Whether it is certain enough that it has fallen, or that it has not. */
  readonly outcome:
    | 'holds'
    | 'suspect'
    | 'fell'
    | 'not measured here'
    /** Other programs disturbed every round. */
    | 'disturbed here';
}

/**
 * The ratios to the reference, without the rounds in which other programs were busy. Perhaps none is left.
 */
export function guardedRatios(measured: readonly Measured[]): Ratios {
  const pairs = measured.flatMap(({ name, series }) =>
    Array.from(new Set(series.map(({ at }) => at)), (at) => {
      const both = series.filter((one) => one.at === at && [service.name, reference].includes(one.name));
      const disturbed = new Set(both.flatMap(({ disturbed = [] }) => disturbed));
      const ratios = ratiosOf({ measured }, name, service.name, reference, at);
      return { at: `${name} with ${at}`, both, ratios: ratios.filter((_, round) => !disturbed.has(round)) };
    }),
  );
  return Object.fromEntries(
    pairs.flatMap(({ at, both, ratios }) => (both.length === 2 ? [[at, ratios]] : [])),
  );
}

/** Puts the rounds of both together. */
export function together(first: Ratios, second: Ratios): Ratios {
  const pairs = Object.entries(first).map(([name, rounds]) => [name, [...rounds, ...(second[name] ?? [])]]);
  return Object.fromEntries(pairs);
}

/**
 * Compares with the lowest of the recorded runs. With the same code, two machines differ by up to a third in
 * "creates with 64", even if their processors have the same name.
 */
export function judge(runs: readonly Run[], measured: Ratios): Verdict[] {
  const names = new Set(runs.flatMap(({ ratios }) => Object.keys(ratios)));
  return Array.from(names, (name) => {
    const recorded = Math.min(...runs.flatMap(({ ratios }) => ratios[name] ?? []));
    const now = summarize(measured[name] ?? [])?.median;
    const rounds = measured[name];
    const outcome = outcomeOf(recorded, now);
    return { name, recorded, measured: now, outcome: rounds?.length === 0 ? 'disturbed here' : outcome };
  });
}

function outcomeOf(recorded: number, now: number | undefined): Verdict['outcome'] {
  if (now === undefined) return 'not measured here';
  if (now <= recorded * (1 - tolerance)) return 'fell';
  return now <= recorded * (1 - suspicion) ? 'suspect' : 'holds';
}

/** @returns the names of the ratios that are worth measuring again */
export function suspects(verdicts: readonly Verdict[]): string[] {
  return verdicts
    .filter(({ outcome }) => ['suspect', 'fell', 'disturbed here'].includes(outcome))
    .map(({ name }) => name);
}

/** @returns how many rounds there is time for, to measure this many ratios again */
export function roundsAgain(ratios: number, secondsSoFar: number): number {
  const rounds = Math.floor((seconds.all - secondsSoFar - seconds.start) / (ratios * seconds.ratio));
  return Math.max(1, Math.min(maxRoundsAgain, rounds));
}

export function fallen(verdicts: readonly Verdict[]): string[] {
  return verdicts.filter(({ outcome }) => outcome === 'fell').map(({ name }) => name);
}

export function describe({ name, recorded, measured, outcome }: Verdict): string {
  // A ratio that is still suspect after all rounds has not fallen far enough.
  const words = (outcome === 'suspect' ? 'holds' : outcome).padEnd(18);
  const figures = `${name} ÷ ${reference}: recorded ${recorded.toPrecision(3)}`;
  if (measured === undefined) return `${words} ${figures}`;
  const change = Math.round((measured / recorded - 1) * 100);
  return `${words} ${figures}, now ${measured.toPrecision(3)} (${change < 0 ? '' : '+'}${change} %)`;
}

export async function readRuns(): Promise<readonly Run[]> {
  // The file was written by this program, and is part of this repository.
  return JSON.parse(await readFile(recordFile, 'utf8')) as Run[];
}

/**
 * Adds a run to the record, instead of the oldest one.
 *
 * @throws {Error} if other programs disturbed it
 */
export async function recordRun(run: Omit<Run, 'ratios'>, measured: Ratios): Promise<void> {
  const disturbed = Object.keys(measured).filter((name) => measured[name]?.length === 0);
  if (disturbed.length > 0)
    throw new Error(`Not recorded, because other programs were too busy: ${disturbed.join(', ')}.`);
  const medians = Object.entries(measured).map(([name, rounds]) => [
    name,
    Number(summarize(rounds)?.median.toPrecision(3)),
  ]);
  const runs = [...(await readRuns()), { ...run, ratios: Object.fromEntries(medians) }];
  await writeFile(recordFile, `${JSON.stringify(runs.slice(-maxRuns), undefined, 2)}\n`);
}
