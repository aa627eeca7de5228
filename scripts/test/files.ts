/**
 * Chooses the test files of a run by the endings of their names, and runs them in processes that all end with
 * it.
 */
import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { buildTap } from './build-tap.js';
import { compiledFile } from './compiled.js';
import { pgbouncerVariable, whyRedThroughPooler } from './pooled.js';
import { startGroup } from './process-group.js';
import { Report } from './report.js';

/** The amount to run: each also runs what those before it run. */
export type Extent = 'service' | 'long' | 'all';

/**
 * The file name endings that each extent leaves out, which say what a test needs:
 *
 * - `.minutes`: together, these files take minutes.
 * - `.tools`: programs that are not part of the project, such as browsers, proxies and compilers (.ci/tools).
 * - `.hours`: time that a push does not have.
 *
 * A file with another ending is always run: each takes seconds, and the gates of a push are among them.
 */
const leftOut: Record<Extent, readonly string[]> = {
  service: ['.minutes.test.ts', '.tools.test.ts', '.hours.test.ts'],
  long: ['.tools.test.ts', '.hours.test.ts'],
  all: [],
};

/** Files that start a process of their own take longest, also because they wait for what it does. */
const startsProcesses =
  /\b(?:startProgram|launchServer|spawnServer|runTypeScript|startOwnPostgres|startReplicated)\(/;

/** Puts the files that take longest first. If they came last, the others would be done, and a core idle. */
function longestFirst(files: readonly string[]): string[] {
  const isLong = (file: string) => startsProcesses.test(readFileSync(join(projectFolder, file), 'utf8'));
  const long = files.filter(isLong);
  return [...long, ...files.filter((file) => !long.includes(file))];
}

/** What .taprc leaves out, so that `npx tap run` of a single file judges only its tests. */
const countsCoverage = [
  '--no-disable-coverage',
  '--coverage-report=text',
  ...['statements', 'branches', 'functions', 'lines'].map((part) => `--${part}=100`),
];

/** The tests of the tools stand with the tools. They need neither the service nor PostgreSQL. */
const toolsFolder = join('scripts', 'contract', 'test');

/** Whether a test is one of the tools'. */
export function isOfTools(file: string): boolean {
  return relative(projectFolder, resolve(projectFolder, file)).startsWith(toolsFolder);
}

/**
 * Lists the files to run, and those that only a larger extent runs.
 *
 * @param onlyTools leaves out those of the service
 */
export function testFiles(extent: Extent, onlyTools: boolean): { files: string[]; left: string[] } {
  const folders = onlyTools ? [toolsFolder] : ['test', toolsFolder];
  const found = folders.flatMap((folder) =>
    readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
  const left = found.filter((name) => leftOut[extent].some((end) => name.endsWith(end)));
  return { files: longestFirst(found.filter((name) => !left.includes(name))), left };
}

/**
 * Runs test files, and prints a line for each that has ended.
 *
 * @param variables added to the environment of the tests
 * @param ending ends the files that run, and all that they have started
 * @returns the report, which has all results
 * @throws {Error} if tap must be built for coverage, and cannot be
 */
export async function runTests(
  files: readonly string[],
  coverage: boolean,
  variables: NodeJS.ProcessEnv,
  ending: AbortSignal,
): Promise<Report> {
  if (coverage) await buildTap();
  console.log(`Running ${files.length} test files`);
  const logFile = join('.tap', 'output.txt');
  const log = createWriteStream(join(projectFolder, logFile));
  log.on('error', ({ message }) => console.error(`Cannot write ${logFile}: ${message}. Details are lost.`));
  const report = new Report({
    log,
    logFile,
    printsExtras: coverage,
    ...(pgbouncerVariable in variables && { whyExpected: whyRedThroughPooler }),
  });
  const [command = '', ...parameters] = coverage
    ? ['tap', 'run', '--reporter=tap', ...countsCoverage]
    : [process.execPath, compiledFile('scripts/test/run-files.ts')];
  const group = startGroup(command, [...parameters, ...files], {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...variables,
      ...(!coverage && {
        TAP_DISABLE_COVERAGE: '1',
        // From Node.js 22 on, processes share compiled code. V8 counts no coverage of such code.
        NODE_COMPILE_CACHE: join(projectFolder, '.tap', 'compiled'),
      }),
    },
  });
  const tap = group.leader;
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= group.end();
  };
  ending.addEventListener('abort', end);
  if (ending.aborted) end();
  tap.stdout?.pipe(report.input);
  tap.stderr?.setEncoding('utf8').on('data', (text: string) => report.addOutput(text));
  const [[code]] = await Promise.all([once(tap, 'exit'), once(report.input, 'complete')]);
  await ended;
  report.tapEnded(code);
  return report;
}
