/** The tables of docs/contract-traps.md are those of lint, row by row. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { consumerNames, traps, yamlReaders, yamlTraps } from '../../packages/contract-tools/lint.js';
import { projectFolder } from '../../packages/kit/index.js';

const page = await readFile(join(projectFolder, 'docs', 'contract-traps.md'), 'utf8');
const [openApi = '', yaml = ''] = page.split('## OpenAPI\n').at(-1)?.split('## YAML\n') ?? [];

const rowsOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('| '));
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const code = (text: string): string => (text === 'a date' ? text : `\`${text}\``);

t.test('the page of traps has the rows of OpenAPI that lint knows', async (t) => {
  const rows = traps.map(({ written, seen, instead }) => {
    const cells = seen.map(({ tools, does }) => {
      const names = Object.entries(tools).map(([name, version]) => `\`${name}\` ${version}`);
      return `${names.join(', ')}: ${does}`;
    });
    return row(written, cells.join('. '), instead);
  });
  t.strictSame(rowsOf(openApi).slice(1), rows);
});

t.test('the page of traps has the rows of YAML that lint knows', async (t) => {
  const head = row(
    'written',
    'yaml 2.9 (this project)',
    ...yamlReaders.map(({ title }) => title),
    'write instead',
  );
  const rows = yamlTraps.map(({ written, read, instead }) => {
    const others = yamlReaders.map(({ name }) => code(read[name]));
    return row(code(written), code(read.yaml), ...others, instead);
  });
  t.strictSame(rowsOf(yaml), [head, ...rows]);
});

t.test('the page of traps names every consumer that a rules file may name', async (t) => {
  for (const name of consumerNames) t.match(page, `\`${name}\``);
});
