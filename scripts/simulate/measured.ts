/** scripts/simulate/measured.json: what was measured, and what the simulation was fitted to. */
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { FailedLoadError } from '../bench/load.js';
import { describeMachine } from '../bench/machine.js';
import type { Coefficients } from './simulation.js';

/** Creates at a rate; milliseconds, but for the client. */
export interface OpenRun {
  readonly rate: number;
  readonly owners: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Plants in a statement. */
  readonly batch: number;
  /** Microseconds of the sender's CPU for a create: it takes more than wrk, on the same cores. */
  readonly client: number;
}

interface OpenRuns {
  readonly date: string;
  readonly machine: string;
  /** Which all programs share. */
  readonly cores: number;
  readonly runs: readonly OpenRun[];
}

export interface Measured {
  readonly coefficients: Coefficients;
  readonly sharedCores: number;
  readonly runs: readonly {
    readonly connections: number;
    readonly owners: number;
    readonly perSecond: number;
    readonly p50: number;
    readonly fitted: boolean;
  }[];
  /** None was used for the fit. Undefined until `--measure` has run. */
  readonly openRuns?: OpenRuns;
}

const file = join(projectFolder, 'scripts', 'simulate', 'measured.json');

export async function readMeasured(): Promise<Measured> {
  // The file is the project's own.
  return JSON.parse(await readFile(file, 'utf8')) as Measured;
}

/** @throws {FailedLoadError} if a figure is unknown: JSON has no NaN */
export async function writeOpenRuns(runs: readonly OpenRun[]): Promise<void> {
  for (const run of runs) {
    const unknown = Object.entries(run).flatMap(([name, figure]) => (Number.isFinite(figure) ? [] : [name]));
    if (unknown.length > 0) {
      const names = unknown.join(', ');
      throw new FailedLoadError(
        `At ${run.rate} creates a second, ${names} could not be measured: run it again.`,
      );
    }
  }
  const date = new Date().toISOString().slice(0, 10);
  const openRuns = { date, machine: describeMachine(), cores: availableParallelism(), runs };
  const measured: Measured = { ...(await readMeasured()), openRuns };
  await writeFile(file, `${JSON.stringify(measured, null, 2)}\n`);
}
