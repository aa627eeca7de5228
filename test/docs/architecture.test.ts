import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';

const page = await readFile(join(projectFolder, 'docs', 'architecture.md'), 'utf8');

t.test('every file that docs/architecture.md names is there', async (t) => {
  const named = Array.from(
    page.matchAll(/`((?:src|packages|examples|test|docs|openapi|scripts)\/[\w./-]+)`/g),
    ([, path = '']) => path,
  );
  t.not(named.length, 0);
  for (const path of new Set(named)) t.ok(existsSync(join(projectFolder, path)), path);
});
