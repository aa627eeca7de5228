/** scripts/simulate/measured.json: what was measured, and what the simulation was fitted to. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
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
  /** None was used for the fit. */
  readonly openRuns: readonly OpenRun[];
}

const file = join(projectFolder, 'scripts', 'simulate', 'measured.json');

export async function readMeasured(): Promise<Measured> {
  // The file is the project's own.
  return JSON.parse(await readFile(file, 'utf8')) as Measured;
}

/** As it is, a line for each run. */
export async function writeOpenRuns(openRuns: readonly OpenRun[]): Promise<void> {
  const text = await readFile(file, 'utf8');
  const lines = openRuns.map(
    (run) =>
      `    ${JSON.stringify(run)
        .replaceAll(/([{:,])/g, '$1 ')
        .replace('}', ' }')}`,
  );
  const [before = ''] = text.split(/ {2}"openRuns"/);
  await writeFile(file, `${before}  "openRuns": [\n${lines.join(',\n')}\n  ]\n}\n`);
}
