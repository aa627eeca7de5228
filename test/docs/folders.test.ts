import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';

t.test('every source that the README of a folder names is there', async (t) => {
  for (const house of ['src', 'packages', 'scripts']) {
    const files = (await readdir(join(projectFolder, house), { recursive: true })).filter(
      (file) => !file.includes('node_modules'),
    );
    for (const page of files.filter((file) => file.endsWith('README.md'))) {
      const folder = dirname(page);
      const text = await readFile(join(projectFolder, house, page), 'utf8');
      for (const [, name = ''] of text.matchAll(/`([\w./-]+\.[tj]s)`/g)) {
        const isThere =
          existsSync(join(projectFolder, name)) ||
          existsSync(join(projectFolder, house, folder, name)) ||
          // A folder below it, which the row names.
          files.some((file) => file.startsWith(folder) && file.endsWith(`/${name}`));
        t.ok(isThere, `${house}/${page} names ${name}`);
      }
    }
  }
});
