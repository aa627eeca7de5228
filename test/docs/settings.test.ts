import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { longNames, readSettings } from '../../packages/service/layer.js';

/** The environment variables that the service reads. */
function variablesRead(): string[] {
  const names = new Set<string>();
  const environment = new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get(variables, name) {
        names.add(String(name));
        return variables[String(name)];
      },
    },
  );
  readSettings(environment);
  return [...names].sort();
}

t.test('docs/settings.md has a row for each setting, and no other', async (t) => {
  const page = await readFile(join(projectFolder, 'docs', 'settings.md'), 'utf8');
  const rows = Array.from(page.matchAll(/^\| `(\w+)` \|/gm), ([, name = '']) => name);
  t.strictSame(rows.sort(), variablesRead());
});

t.test(
  'the names of eight letters and more, whose misspelling is noticed, are those of the settings',
  async (t) => {
    t.strictSame(
      longNames,
      variablesRead().filter((name) => name.length >= 8),
    );
  },
);
