/** Lets readers of YAML read the traps of docs/contract-traps.md, and compares the values with its table. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { projectFolder } from '../../packages/kit/index.js';

const page = await readFile(join(projectFolder, 'docs', 'contract-traps.md'), 'utf8');
const [, table = ''] = page.split('## YAML\n');
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** Reads a program's JSON for `{ v: TEXT }`. A date is an object there, because JSON has none. */
const runs =
  (program: string, ...parameters: readonly string[]) =>
  (text: string): unknown => {
    const { stdout, status } = spawnSync(program, parameters, {
      input: text,
      encoding: 'utf8',
      timeout: 30_000,
    });
    return status === 0 ? JSON.parse(stdout).v : undefined;
  };

/** The readers, in the order of the table's columns. */
const readers: readonly (readonly [name: string, read: (text: string) => unknown])[] = [
  ['yaml', (text) => parse(text).v],
  [
    'PyYAML',
    runs(
      '/usr/bin/python3',
      '-c',
      'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin), default=lambda date: {}))',
    ),
  ],
  [
    'Psych',
    runs(
      'ruby',
      '-rjson',
      '-ryaml',
      '-rdate',
      '-e',
      'v = YAML.safe_load($stdin.read, permitted_classes: [Date])["v"]; puts({ v: v.is_a?(Date) ? {} : v }.to_json)',
    ),
  ],
];

const cellOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'a date' : `\`${JSON.stringify(value)}\``;

for (const [at, [name, read]] of readers.entries()) {
  const skip = read('v: 7\n') !== 7 && `${name} is not installed`;
  t.test(`what ${name} reads, as docs/contract-traps.md has it`, { skip }, async (t) => {
    t.ok(rows.length > 5);
    for (const row of rows) {
      const written = String(row[1]).replaceAll('`', '');
      t.equal(cellOf(read(`v: ${written}\n`)), row[2 + at], written);
    }
  });
}
