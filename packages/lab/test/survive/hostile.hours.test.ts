import t, { type Test } from 'tap';
import { Cleanup, compile } from '../../../kit/index.js';
import type { Attack } from '../../src/survive/hostile/attack.js';
import { attackAll, attacks, type Result } from '../../src/survive/hostile/hostile.js';
import { toText } from '../../src/survive/hostile/report.js';

const plainServer = 'packages/lab/src/bench/contestants/fastify-by-hand-bare.ts';
const loader = ['--import', import.meta.resolve('tsx')];

async function attack(
  t: Test,
  program: readonly string[],
  chosen: readonly Attack[] = attacks,
): Promise<Result[]> {
  const cleanup = new Cleanup();
  t.teardown(() => cleanup.run());
  await compile(cleanup);
  const command = { file: process.execPath, parameters: [...loader, ...program] };
  return attackAll({ command, attacks: chosen, onProgress: () => {} }, cleanup);
}

t.test('under attack, the service does what it promises', async (t) => {
  const results = await attack(t, ['src/main.ts']);
  const table = toText(results);
  t.equal(results.length, attacks.length);
  t.ok(
    results.every(({ isAsPromised }) => isAsPromised),
    'all is as promised',
    { table },
  );
  t.notMatch(table, 'not as promised');
});

t.test('every attack finds the plain server out, except those that it withstands', async (t) => {
  const results = await attack(t, [plainServer]);
  t.strictSame(
    results.filter(({ isAsPromised }) => isAsPromised).map(({ attack }) => attack.name),
    ['the preface of HTTP/2', 'a broken chunk'],
    toText(results),
  );
  t.match(toText(results), 'not as promised: `PLAY /x RTSP/1.0`: 400');
});

t.test('a server that ignores SIGTERM is found out', async (t) => {
  const ignoring = `process.on('SIGTERM', () => {}); await import('./${plainServer}');`;
  const results = await attack(
    t,
    ['--input-type=module', '--eval', ignoring],
    attacks.filter(({ endsServer }) => endsServer),
  );
  t.match(toText(results), 'none of');
  t.match(toText(results), 'the process has not ended after 20 s');
  t.match(toText(results), 'not as promised: SIGTERM');
});
