/** What docs/changing-the-contract.md has its reader do, as edits of a copy of the project. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  apply,
  type Edit,
  endOfPlant,
  example,
  lastColumn,
  pathOfExample,
} from '../../packages/kit/index.js';

const yaml = 'openapi/plants.yaml';
const table = 'src/plants/table.ts';

/** The steps for a new operation: its YAML and its handler. */
export const operationAdded: readonly Edit[] = [
  { file: yaml, old: pathOfExample, next: `${pathOfExample}${example.yaml}` },
  {
    file: 'src/plants/operations.ts',
    old: '    async deletePlant',
    next: `${example.handler}\n    async deletePlant`,
  },
];

/** The steps for new members of Plant: their YAML, their columns and, unless it is forgotten, their migration. */
export function memberAdded(member: { yaml: string; columns: string; migration?: string }): Edit[] {
  const steps = [
    { file: yaml, old: endOfPlant, next: endOfPlant + member.yaml },
    { file: table, old: lastColumn, next: lastColumn + member.columns },
  ];
  if (member.migration === undefined) return steps;
  return [...steps, { file: 'src/plants/migrations/0004-member.sql', old: '', next: member.migration }];
}

const price = `        price:
          type: integer
          format: int32
          description: Its price in cents.
          minimum: 0
          maximum: 2147483647
          example: 1250
`;

/** Has every plant of a copy's contract and of its examples need a price, with its column and migration. */
export async function requirePrice(folder: string): Promise<void> {
  const file = join(folder, yaml);
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text
      .replace('required: [name]', 'required: [name, price]')
      .replace(endOfPlant, () => endOfPlant + price)
      .replaceAll(/(\{ (?:id: -?\d+, )?name: [\w ]+(?:, tag: \w+)?) \}/g, '$1, price: 1250 }'),
  );
  await apply(folder, {
    file: table,
    old: lastColumn,
    next: `${lastColumn}    price: 'integer',\n`,
  });
  await apply(folder, {
    file: 'src/plants/migrations/0005-price.sql',
    old: '',
    next: 'ALTER TABLE plants ADD "price" integer NOT NULL DEFAULT 0;\n',
  });
}
