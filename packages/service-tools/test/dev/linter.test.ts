import { join } from 'node:path';
import t from 'tap';
import { makeFolder } from '../../../kit/testing.js';
import { Linter } from '../../src/dev/linter.js';

t.test('linters that fail are a problem of the file, and end nothing', async (t) => {
  const linter = new Linter();
  t.teardown(() => linter.stop());
  // The editor may remove a file before the linters read it.
  const file = join(await makeFolder(t), 'gone.yaml');
  for (const when of ['while one waits', 'and afterwards']) {
    t.match(await linter.lint(file), [{ rule: 'contract/linters-ended', message: /ENOENT/ }], when);
  }
});
