import t from 'tap';
import { until } from '../src/testing/process.js';

t.test('until returns the first value that is truthy', async (t) => {
  let asked = 0;
  t.equal(await until('the third', () => ++asked === 3 && asked), 3);
});

t.test('until says what its condition was at last', async (t) => {
  await t.rejects(
    until('all are there', () => Number.NaN, 0),
    { message: 'Waited in vain until all are there: its condition was NaN at last.' },
  );
});

t.test('until does not wait for a condition that hangs', async (t) => {
  await t.rejects(
    until('it answers', () => new Promise<boolean>(() => {}), 50),
    { message: 'Waited in vain until it answers: its condition has not answered.' },
  );
});
