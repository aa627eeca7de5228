import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endOfPlant, lastColumn } from '../../scripts/kit/contract-examples.js';
import { apply } from '../../scripts/kit/project-copy.js';

const member = `        price:
          type: integer
          format: int32
          description: Its price in cents.
          minimum: 0
          maximum: 2147483647
          example: 1250
`;

/** Has every plant of a copy's contract and of its examples need a price, with its column and migration. */
export async function requirePrice(folder: string): Promise<void> {
  const file = join(folder, 'openapi', 'plants.yaml');
  const yaml = await readFile(file, 'utf8');
  await writeFile(
    file,
    yaml
      .replace('required: [name]', 'required: [name, price]')
      .replace(endOfPlant, () => endOfPlant + member)
      .replaceAll(/(\{ (?:id: -?\d+, )?name: [\w ]+(?:, tag: \w+)?) \}/g, '$1, price: 1250 }'),
  );
  await apply(folder, {
    file: 'src/plants/table.ts',
    old: lastColumn,
    next: `${lastColumn}    price: 'integer',\n`,
  });
  await apply(folder, {
    file: 'src/plants/migrations/0005-price.sql',
    old: '',
    next: 'ALTER TABLE plants ADD "price" integer NOT NULL DEFAULT 0;\n',
  });
}
