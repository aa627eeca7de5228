import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { buildTap } from './build-tap.js';
import { pgbouncerVariable, whyRedThroughPooler } from './pooled.js';
import { Report } from './report.js';

/** How much to run: each also runs what those before it run. */
export type Extent = 'service' | 'long' | 'all';

/** The file name endings that each extent leaves out: a file with a new ending is always run. */
const leftOut: Record<Extent, readonly string[]> = {
  service: ['.long.test.ts', '.evidence.test.ts'],
  long: ['.evidence.test.ts'],
  all: [],
};

/** The files to run, and those that only a larger extent runs. */
export function testFiles(extent: Extent): { files: string[]; left: string[] } {
  const found = readdirSync(join(projectFolder, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name));
  const left = found.filter((name) => leftOut[extent].some((end) => name.endsWith(end)));
  return { files: found.filter((name) => !left.includes(name)), left };
}

/** @param variables added to the environment of the tests */
export async function runTests(
  files: readonly string[],
  coverage: boolean,
  variables: NodeJS.ProcessEnv,
): Promise<Report> {
  await buildTap();
  console.log(`Running ${files.length} test files on a PostgreSQL of their own`);
  const logFile = join('.tap', 'output.txt');
  const log = createWriteStream(join(projectFolder, logFile));
  const report = new Report({
    log,
    logFile,
    printsExtras: coverage,
    ...(pgbouncerVariable in variables && { whyExpected: whyRedThroughPooler }),
  });
  // tap counts coverage of the start of PostgreSQL even if it is disabled, and must not fail for that.
  const uncounted = ['--disable-coverage', '--allow-incomplete-coverage', '--coverage-report=none'];
  const tap = spawn('tap', ['run', '--reporter=tap', ...(coverage ? [] : uncounted), ...files], {
    cwd: projectFolder,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...variables,
      // From Node.js 22 on, processes share compiled code. V8 counts no coverage of such code.
      ...(!coverage && { NODE_COMPILE_CACHE: join(projectFolder, '.tap', 'compiled') }),
    },
  });
  // Ctrl-C reaches tap by itself, and this process waits for it; a `kill` reaches this process only.
  process.on('SIGINT', () => {}).on('SIGTERM', () => tap.kill('SIGTERM'));
  tap.stdout.pipe(report.input);
  tap.stderr.setEncoding('utf8').on('data', (text: string) => report.addOutput(text));
  const [[code]] = await Promise.all([once(tap, 'exit'), once(report.input, 'complete')]);
  report.tapEnded(code);
  return report;
}
