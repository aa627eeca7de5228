/** Is run by uncaught.test.ts. What it waits for never comes, because an exception has taken its place. */
import t from 'tap';

const never = new Promise(() => {});

t.test('outer', async (t) => {
  await t.test('a callback throws', () => {
    setTimeout(() => {
      throw new Error('nobody catches it');
    });
    return never;
  });
  await t.test('a promise is rejected', () => {
    setTimeout(() => Promise.reject(new Error('nobody awaits it')));
    return never;
  });
  await t.test('the next one', async (t) => {
    t.pass();
  });
});
