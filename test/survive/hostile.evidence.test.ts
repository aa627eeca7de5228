import t, { type Test } from 'tap';
import { Cleanup } from '../../scripts/bench/cleanup.js';
import { attackAll, attacks, type Result } from '../../scripts/survive/hostile/hostile.js';
import { toText } from '../../scripts/survive/hostile/report.js';

/** The quick ones at which a plain server fails. */
const chosen = attacks.filter(({ name }) => /CONNECT|a body of 20 MB|SIGTERM/.test(name));

async function attack(t: Test, program: string): Promise<Result[]> {
  const cleanup = new Cleanup();
  t.teardown(() => cleanup.run());
  const command = {
    file: process.execPath,
    parameters: ['--import', import.meta.resolve('tsx'), program],
  };
  return attackAll({ command, isPlain: false, attacks: chosen, onProgress: () => {} }, cleanup);
}

t.test('under attack, the service does what it promises', async (t) => {
  const results = await attack(t, 'src/main.ts');
  t.equal(results.length, 3);
  t.ok(
    results.every(({ isAsPromised }) => isAsPromised),
    'all is as promised',
    { table: toText(results, true) },
  );
  t.notMatch(toText(results, true), 'not as promised');
  t.match(toText(results, true), '| 413 for 30 of 30 |');
});

t.test('a server that breaks the promises is found out', async (t) => {
  const results = await attack(t, 'scripts/bench/contestants/fastify-by-hand.ts');
  t.strictSame(
    results.map(({ isAsPromised }) => isAsPromised),
    [false, false, false],
  );
  t.match(toText(results, true), 'not as promised: `CONNECT x:1 HTTP/1.1`: 405');
  t.notMatch(toText(results, false), 'not as promised', 'unless it has promised nothing');
});
