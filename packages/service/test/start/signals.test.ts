import t, { type Test } from 'tap';
import { until } from '../../../kit/testing.js';
import { watchSignals } from '../../src/start/signals.js';

/** As if the signal came, without those who listen for it in a process of tests. */
function watch(t: Test, atTerminal: boolean) {
  const handlers = new Map<string, () => void>();
  t.intercept(process, 'on', { value: (name: string, handler: () => void) => handlers.set(name, handler) });
  const signals = watchSignals(atTerminal);
  return { ...signals, send: (name: NodeJS.Signals) => handlers.get(name)?.() };
}

t.test('the first signal asks for the end, its echo for nothing, and a later one for haste', async (t) => {
  const { end, hurry, send } = watch(t, false);
  t.notOk(end.aborted);
  send('SIGTERM');
  t.ok(end.aborted);
  send('SIGINT');
  t.notOk(hurry.aborted);
  await until('a signal is not an echo any more', () => {
    send('SIGINT');
    return hurry.aborted;
  });
});

t.test('SIGHUP counts if there is a terminal that can close', async (t) => {
  for (const atTerminal of [false, true]) {
    await t.test(String(atTerminal), async (t) => {
      const { end, send } = watch(t, atTerminal);
      send('SIGHUP');
      t.equal(end.aborted, atTerminal);
    });
  }
});
