/**
 * tap as the compiled tests import it: one file instead of two hundred, and without its async hooks.
 *
 * If an exception comes from a callback that no promise waits for, such as a listener of a socket, tap has to
 * find the test that it belongs to. It asks Node.js to tell it of each promise and each callback that is made
 * and dropped (`async_hooks`), so that it knows which test each of them comes from. That takes two fifths of
 * the time of a test that awaits much. Here, the tests of a file run one after the other, so the exception
 * belongs to the one that runs.
 */
import t, { type Base, TestBase } from 'tap';

export * from 'tap';
export default t;

/** The test that runs is the last one; those before it wait for it. */
const running: Base[] = [];

function follow(test: Base): void {
  running.push(test);
  if (!(test instanceof TestBase)) return;
  test.on('subtestStart', follow);
  test.on('subtestEnd', (ended: Base) => running.splice(running.indexOf(ended), 1));
}

follow(t);
// Node.js makes an exception of a rejected promise that nothing handles.
process.on('uncaughtException', (error) => running.at(-1)?.threw(error));
