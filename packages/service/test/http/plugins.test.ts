import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { projectFolder } from '../../../kit/index.js';
import { makeLog } from '../../src/log/log.js';
import { makeDatabase } from '../support/postgres/database.js';
import { serveOn } from '../support/running-service.js';

const page = await readFile(join(projectFolder, 'docs', 'architecture.md'), 'utf8');
const [, list = ''] = page.split('\n## The plugins\n');
const rows = Array.from(list.split('\n## ')[0]?.matchAll(/^\| `([\w-]+)` \| `([\w./-]+)` \|/gm) ?? []);

t.test('docs/architecture.md lists the plugins in the order in which Fastify loads them', async (t) => {
  const { app } = await serveOn(t, await makeDatabase(t), {
    contract: await plantStore.readContract(),
    log: makeLog('silent'),
    corsOrigins: new Set(['https://garden.example']),
  });
  // The names of the outermost plugins. Fastify prints its own `bound _after` for each hook and route, too.
  const printed = app.printPlugins().matchAll(/^[├└]\S+ (?!bound _after)(.+) -?\d+ ms$/gm);
  t.strictSame(
    rows.map(([, name]) => name),
    Array.from(printed, ([, name]) => name),
  );
});

t.test('each file of that list names its plugin', async (t) => {
  for (const [, name, file = ''] of rows)
    t.match(await readFile(join(projectFolder, file), 'utf8'), `name: '${name}'`, file);
});
