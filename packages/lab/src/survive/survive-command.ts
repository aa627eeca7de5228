/**
 * Runs `npm run survive`, which injects faults under load. docs/survival.md says what it does, and what
 * clients saw.
 */
import { join } from 'node:path';
import { Progress } from '../../../contract-tools/base.js';
import {
  type Cleanup,
  type Command,
  compile,
  projectFolder,
  runWithCleanup,
  startCommand,
} from '../../../kit/index.js';
import { help, readTask } from './command-line.js';
import { faults } from './faults.js';
import { attackAll, attacks } from './hostile/hostile.js';
import { toText as toTable } from './hostile/report.js';
import { isSound, toText } from './report.js';
import { gardens, plants } from './subject.js';
import { survive } from './survive.js';

/** A run that is shorter leaves slow faults out. */
const longRunSeconds = 120;

/** The command that starts the example, as `npm run gardens` does. */
const gardensCommand: Command = {
  file: process.execPath,
  parameters: ['--import', import.meta.resolve('tsx'), join(projectFolder, 'examples', 'gardens', 'main.ts')],
};

async function main(cleanup: Cleanup): Promise<number> {
  const task = readTask(process.argv.slice(2));
  const progress = new Progress();
  const onProgress = (text: string) => progress.show(text);
  await compile(cleanup);
  if (task.hostile) {
    const results = await attackAll({ command: startCommand, attacks, onProgress }, cleanup);
    progress.done('done');
    console.log(toTable(results));
    return results.every(({ isAsPromised }) => isAsPromised) ? 0 : 1;
  }
  const { seconds, only } = task;
  const report = await survive(
    {
      ...task,
      command: task.gardens ? gardensCommand : startCommand,
      subject: task.gardens ? gardens : plants,
      faults: faults.filter(({ name, slow }) =>
        only.length > 0 ? only.some((text) => name.includes(text)) : !slow || seconds >= longRunSeconds,
      ),
      onProgress,
    },
    cleanup,
  );
  progress.done('checked');
  console.log(toText(report));
  // All faults were skipped, so nothing is proved.
  if (report.faultResults.length === 0) return 2;
  return isSound(report) ? 0 : 1;
}

await runWithCleanup({ help, main });
