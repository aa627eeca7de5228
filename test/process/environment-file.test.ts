import t from 'tap';
import { cleanEnvironment, runTypeScript } from '../../packages/kit/testing.js';

/** The program reads PORT before LOG_LEVEL, and names the first setting that is wrong. */
const rows: readonly (readonly [script: string, settings: NodeJS.ProcessEnv, named: 'PORT' | 'LOG_LEVEL'])[] =
  [
    ['start', { LOG_LEVEL: 'loud' }, 'PORT'],
    ['token', { LOG_LEVEL: 'loud' }, 'PORT'],
    // What is set wins.
    ['start', { LOG_LEVEL: 'loud', PORT: '0' }, 'LOG_LEVEL'],
    // No developer's file may disturb these.
    ['dev', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    ['test', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
  ];

for (const [script, settings, named] of rows)
  t.test(`npm run ${script} with ${Object.keys(settings)}, and PORT in .env: ${named} is read`, async (t) => {
    const cwd = t.testdir({ '.env': 'PORT=none\n' });
    const env = { ...cleanEnvironment(), ...settings, npm_lifecycle_event: script };
    const { code, err } = await runTypeScript('src/main.ts', [], { cwd, env });
    t.equal(code, 1);
    t.match(err, new RegExp(`^${named} `));
  });
