/**
 * `npm run bench`: the service beside its peers and its limits, on one PostgreSQL, as ratios.
 * docs/benchmarks.md says what the figures mean.
 */
import { Cleanup } from './bench/cleanup.js';
import { help, readTask, type Task } from './bench/command-line.js';
import {
  describe,
  fallen,
  guardedRatios,
  judge,
  readRecord,
  type Verdict,
  writeRecord,
} from './bench/guard.js';
import { type Mode, measure, modes } from './bench/modes.js';
import { Progress, painted } from './bench/progress.js';
import { toText, writeReport } from './bench/report.js';
import { throughputsOf } from './bench/results.js';
import { openSession, type Session } from './bench/session.js';
import { explainCommand } from './kit/command.js';

async function main(task: Task | undefined, cleanup: Cleanup): Promise<number> {
  if (task === undefined) {
    console.log(help);
    return 0;
  }
  const { mode, options, output, record } = task;
  const session = await openSession(options, cleanup, new Progress());
  if (mode === modes.quick) return record ? recordRatios(mode, session) : guard(mode, session);
  const results = await measure(mode, session);
  console.log(toText(results));
  console.log(await writeReport(output, mode.name, results));
  return 0;
}

async function recordRatios(mode: Mode, session: Session): Promise<number> {
  const results = await measure(mode, session);
  console.log(toText(throughputsOf(results)));
  await writeRecord(results, session);
  return 0;
}

/** Checks that the ratios hold. One that fell is measured again, twice as long, before it is a regression. */
async function guard(mode: Mode, session: Session): Promise<number> {
  const record = await readRecord();
  const judged = async (asked: Session): Promise<readonly Verdict[]> => {
    const results = await measure(mode, asked);
    console.log(toText(throughputsOf(results)));
    return judge(record, guardedRatios(results), session);
  };
  const first = await judged(session);
  print(first);
  const suspects = fallen(first);
  if (suspects.length === 0) return 0;
  session.progress.done('Measuring again what fell, twice as long: the machine may have been busy');
  const { options } = session;
  // The measures that fell, and their contestants.
  const again = new Set(['plant-store', ...suspects.flatMap((name) => name.split(' ÷ '))]);
  const second = await judged({
    ...session,
    options: {
      ...options,
      rounds: 2 * options.rounds,
      wants: (name) => again.has(name),
    },
  });
  const both = second.filter(({ name }) => suspects.includes(name));
  print(both);
  return fallen(both).length === 0 ? 0 : 1;
}

function print(verdicts: readonly Verdict[]): void {
  for (const verdict of verdicts) console.log(painted(verdict.fell ? 31 : 32, describe(verdict)));
}

const cleanup = new Cleanup();
cleanup.beforeExit();
try {
  process.exitCode = await main(readTask(), cleanup);
} catch (error) {
  if (!cleanup.ended) {
    // An exit code of 1 would say that a ratio fell.
    process.exitCode = 2;
    console.error(explainCommand(error));
  }
} finally {
  await cleanup.run();
}
