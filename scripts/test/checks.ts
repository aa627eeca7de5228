/**
 * The gates of a push that are no tests: types, generated files, linters. They run while the tests are
 * prepared, and no test runs if one of them fails.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectFolder } from '../../src/project.js';
import { seconds } from './durations.js';
import { firstLines } from './first-lines.js';

/** A command of npm that fails if something is wrong. */
interface Check {
  readonly what: string;
  readonly npm: readonly string[];
}

const ofTheService: readonly Check[] = [
  {
    what: 'the service compiles',
    npm: [
      ...['run', '--silent', 'types', '--', '--project', 'tsconfig.build.json', '--noEmit'],
      ...['--tsBuildInfoFile', join(projectFolder, '.tap', 'service.tsbuildinfo')],
    ],
  },
  { what: 'generated/ is what the contract gives', npm: ['run', '--silent', 'codegen', '--', '--check'] },
];

const ofAllElse: readonly Check[] = [
  { what: 'format, types, and no unused code', npm: ['run', '--silent', 'lint'] },
  { what: "the contract keeps the linters' rules", npm: ['run', '--silent', 'lint:contract'] },
];

/** This many lines of a check are shown, because one change can make hundreds of type errors. */
const maxLines = 40;

/**
 * Runs all checks at once; shows the output of those that fail.
 *
 * @param all whether the project's code and the contract are linted, too
 * @param ending ends the checks, which then do not hold
 * @returns whether all hold
 */
export async function checksHold(all: boolean, ending: AbortSignal): Promise<boolean> {
  console.log('Checking the sources and the contract');
  const checks = all ? [...ofTheService, ...ofAllElse] : ofTheService;
  const verdicts = await Promise.all(
    checks.map(async ({ what, npm: parameters }) => {
      const begin = performance.now();
      const npm = spawn('npm', parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
      ending.addEventListener('abort', () => npm.kill());
      const ended = new Promise((resolve) => npm.once('close', resolve));
      const [code, ...output] = await Promise.all([ended, text(npm.stdout), text(npm.stderr)]);
      console.log(`${code === 0 ? 'ok    ' : 'not ok'}  ${what}, ${seconds(performance.now() - begin)}`);
      if (code !== 0) console.log(firstLines(output.join(''), maxLines).join('\n'));
      return code === 0;
    }),
  );
  return verdicts.every(Boolean);
}
