import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../src/project.js';

const page = await readFile(join(projectFolder, 'docs', 'architecture.md'), 'utf8');

t.test('every file that docs/architecture.md names is there', async (t) => {
  const named = Array.from(
    page.matchAll(/`((?:src|test|docs|openapi|scripts)\/[\w./-]+)`/g),
    ([, path = '']) => path,
  );
  t.ok(named.length > 40);
  for (const path of new Set(named)) t.ok(existsSync(join(projectFolder, path)), path);
});

t.test('the tour of docs/architecture.md has at most 900 lines', async (t) => {
  const [, tour = ''] = page.split('## The tour');
  const files = Array.from(tour.matchAll(/^\| [0-9]+ \| `([^`]+)`/gm), ([, file = '']) => file);
  t.equal(files.length, 12);
  const texts = await Promise.all(files.map((file) => readFile(join(projectFolder, file), 'utf8')));
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
  t.ok(lines <= 900, `${lines} lines`);
});
