import t from 'tap';
import { runTypeScript } from '../support/programs/command.js';

t.test('an exception that nobody catches fails the test that runs, at once, and no other', async (t) => {
  const { code, out } = await runTypeScript('test/runner/throws-late.ts');
  t.equal(code, 1);
  const verdicts = Array.from(out.matchAll(/^ {4}((?:not )?ok) \d+ - (.+?) #/gm), ([, ok, title]) => [
    ok,
    title,
  ]);
  t.strictSame(verdicts, [
    ['not ok', 'a callback throws'],
    ['not ok', 'a promise is rejected'],
    ['ok', 'the next one'],
  ]);
  for (const message of ['nobody catches it', 'nobody awaits it']) t.match(out, message);
});
