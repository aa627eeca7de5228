/** `npm run survive` injects faults under load. docs/survival.md says what it does, and what clients saw. */
import { join } from 'node:path';
import { projectFolder } from '../../../src/project.js';
import { Cleanup } from '../../kit/cleanup.js';
import { explainCommand, UsageError } from '../../kit/command.js';
import { run } from '../../kit/programs.js';
import { Progress } from '../../kit/progress.js';
import type { Command } from '../../kit/server.js';
import { help, readTask, type Task } from './command-line.js';
import { faults } from './faults.js';
import { attackAll, attacks } from './hostile/hostile.js';
import { toText as toTable } from './hostile/report.js';
import { isSound, toText } from './report.js';
import { gardens, plants } from './subject.js';
import { survive } from './survive.js';

/** Shorter runs leave slow faults out. */
const longRunSeconds = 120;
const compileMs = 120_000;

async function main(task: Task | undefined, cleanup: Cleanup): Promise<number> {
  if (task === undefined) {
    console.log(help);
    return 0;
  }
  const { seconds, seed, pauseSeconds, only, replicas, pgbouncer, embedded, plain, hostile } = task;
  const command = task.gardens ? gardensCommand : await compile(cleanup, plain);
  const subject = task.gardens ? gardens : plants;
  const progress = new Progress();
  if (hostile) {
    const onProgress = (text: string) => progress.show(text);
    const results = await attackAll({ command, isPlain: plain, attacks, onProgress }, cleanup);
    progress.done('done');
    console.log(toTable(results, !plain));
    return plain || results.every(({ isAsPromised }) => isAsPromised) ? 0 : 1;
  }
  const report = await survive(
    {
      ...{ command, subject, isPlain: plain, embedded, replicas, pgbouncer, seconds, seed, pauseSeconds },
      faults: faults.filter(({ name, slow }) =>
        only.length > 0 ? only.some((text) => name.includes(text)) : !slow || seconds >= longRunSeconds,
      ),
      onProgress: (text) => progress.show(text),
    },
    cleanup,
  );
  progress.done('checked');
  console.log(toText(report));
  // All faults were skipped, so nothing is proved.
  if (report.faultResults.length === 0) return 2;
  return isSound(report) ? 0 : 1;
}

/** Starts the example as `npm run gardens` does. */
const gardensCommand: Command = {
  file: process.execPath,
  parameters: ['--import', import.meta.resolve('tsx'), join(projectFolder, 'examples', 'gardens', 'main.ts')],
};

/**
 * @returns the command of the service as `npm start` runs it, or of the server that `npm run bench` compares
 * it with
 */
async function compile(cleanup: Cleanup, plain: boolean): Promise<Command> {
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = plain ? 'tsconfig.bench.json' : 'tsconfig.build.json';
  await run(cleanup, process.execPath, [compiler, '--project', project], {
    cwd: projectFolder,
    timeoutMs: compileMs,
  });
  const program = plain ? 'dist/scripts/lab/bench/contestants/fastify-by-hand-bare.js' : 'dist/src/main.js';
  return { file: process.execPath, parameters: ['--enable-source-maps', program] };
}

const cleanup = new Cleanup();
cleanup.beforeExit();
try {
  process.exitCode = await main(readTask(process.argv.slice(2)), cleanup);
} catch (error) {
  if (!cleanup.ended) {
    // An exit code of 1 would say that the service did not survive.
    process.exitCode = 2;
    console.error(error instanceof UsageError ? explainCommand(error) : error);
  }
} finally {
  await cleanup.run();
  // A connection that was reset while it ended would keep Node.js from ending (libuv, uv_tcp_close_reset).
  process.exit();
}
