import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { faults } from '../../scripts/contract/faults/all-faults.js';
import { nothing } from '../../scripts/contract/faults/fault-proxy.js';
import { projectFolder } from '../../src/project.js';

t.test('docs/evidence/faults.md has a row for each fault, and each was found', async (t) => {
  const page = await readFile(join(projectFolder, 'docs', 'evidence', 'faults.md'), 'utf8');
  const rows = Array.from(page.matchAll(/^\| (?!fault|-)(.+?) \| (.+?) \| (\w+) \|/gm), (row) =>
    row.slice(1, 4),
  );
  const found = faults.map(({ name, operation }) => [name, operation, 'found']);
  t.strictSame(rows, [[nothing.name, nothing.operation, 'nothing'], ...found]);
});
