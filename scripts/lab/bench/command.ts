/**
 * `npm run bench`: the service beside its peers and its limits, on one PostgreSQL, as ratios.
 * docs/benchmarks.md says what the figures mean.
 */

import { Cleanup } from '../../kit/cleanup.js';
import { explainCommand } from '../../kit/command.js';
import { Progress, painted } from '../../kit/progress.js';
import { help, readTask, type Task } from './command-line.js';
import {
  describe,
  fallen,
  guardedRatios,
  judge,
  readRuns,
  recordRun,
  roundsAgain,
  suspects,
  together,
} from './guard.js';
import { measure, modes } from './modes.js';
import { measureQuick } from './quick.js';
import { toText, writeReport } from './report.js';
import { joined, type Results } from './results.js';
import { openSession, type Session, watchStrangers } from './session.js';

async function main(task: Task | undefined, cleanup: Cleanup): Promise<number> {
  if (task === undefined) {
    console.log(help);
    return 0;
  }
  const [first] = task.modes;
  const options = task.optionsFor(first);
  const session = await openSession(options, cleanup, new Progress());
  if (first === modes.quick) return task.record ? recordRatios(session) : guard(session);
  await report(task, session);
  return 0;
}

/** Measures one mode after the other. Each has a page of its own; all are printed together. */
async function report({ modes, optionsFor, output }: Task, session: Session): Promise<void> {
  const all: Results[] = [];
  const written: string[] = [];
  for (const mode of modes) {
    const results = await measure(mode, { ...session, options: optionsFor(mode) });
    all.push(results);
    written.push(await writeReport(output, mode.name, results));
  }
  const [{ title } = { title: '' }] = all;
  console.log(toText(joined(title, all)));
  console.log(written.join('\n'));
}

async function recordRatios(session: Session): Promise<number> {
  const results = await measure(modes.quick, session);
  console.log(toText(results));
  const { conditions, runs } = results;
  const taken = [...conditions, ...Object.values(runs)].join(' ');
  await recordRun({ taken }, guardedRatios(results.measured));
  return 0;
}

/** Checks that the ratios hold. What seems to have fallen is measured again, with new servers. */
async function guard(session: Session): Promise<number> {
  const runs = await readRuns();
  const results = await measure(modes.quick, session);
  console.log(toText(results));
  let ratios = guardedRatios(results.measured);
  const suspected = suspects(judge(runs, ratios));
  if (suspected.length > 0) {
    session.progress.done(`Measuring again, because the machine may have been busy: ${suspected.join(', ')}`);
    const options = { ...session.options, rounds: roundsAgain(suspected.length, performance.now() / 1_000) };
    const strangers = await watchStrangers(session.postgres, modes.quick.maxRepeats);
    const again = { ...session, options, strangers };
    const second = await measureQuick(again, (name) => suspected.includes(name));
    ratios = together(ratios, guardedRatios(second));
  }
  const verdicts = judge(runs, ratios);
  for (const verdict of verdicts)
    console.log(painted(verdict.outcome === 'fell' ? 31 : 32, describe(verdict)));
  return fallen(verdicts).length === 0 ? 0 : 1;
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
