import { readFile } from 'node:fs/promises';
import fc, { type Arbitrary } from 'fast-check';
import pg from 'pg';
import t from 'tap';
import { readDocument } from '../../../contract-tools/index.js';
import { parseJson } from '../../../exact-json/index.js';
import { contractFile } from '../../../kit/index.js';
import type { ContractSchema } from '../../src/schema/schema.js';
import { schemaReader } from '../../src/schema/schema-reader.js';
import { anyCharacter } from '../support/contract/characters.js';
import { startService } from '../support/service.js';

/** Generates every value that the YAML allows for a NewPlant; each must be stored unchanged. */

type Value = string | bigint | boolean;
type Members = Readonly<Record<string, Value>>;

function stringsOf({ minLength = 0, maxLength = 0, pattern = '' }: ContractSchema): Arbitrary<string> {
  const [least, most, form] = [Number(minLength), Number(maxLength), new RegExp(String(pattern), 'u')];
  const characters = fc.oneof(
    anyCharacter,
    fc.constantFrom(
      '\u0001',
      '\n',
      '"',
      '\\',
      "'",
      '\u007f',
      '\u00a0',
      '\u202e',
      '\ufeff',
      '\uffff',
      '🌱',
      '\u{10ffff}',
    ),
  );
  return fc
    .oneof(
      fc.array(characters, { minLength: least, maxLength: most, size: 'max' }),
      fc.array(characters, { minLength: most, maxLength: most }),
      fc.array(characters, { minLength: least, maxLength: least }),
    )
    .map((parts) => parts.join(''))
    .filter((text) => form.test(text));
}

function boundOf(schema: ContractSchema, keyword: 'minimum' | 'maximum'): bigint | undefined {
  const bound = schema[keyword];
  return bound === undefined ? undefined : BigInt(bound);
}

/** Empty for types that packages/service/test/store/column-types.test.ts covers. */
function valuesOf(schema: ContractSchema): Arbitrary<Value>[] {
  if (Array.isArray(schema['enum'])) return [fc.constantFrom(...schema['enum'])];
  switch (schema.type) {
    case 'string':
      return [stringsOf(schema)];
    case 'boolean':
      return [fc.boolean()];
    case 'integer': {
      const bits = BigInt(String(schema.format).slice('int'.length));
      const least = boundOf(schema, 'minimum') ?? -(2n ** (bits - 1n));
      const most = boundOf(schema, 'maximum') ?? 2n ** (bits - 1n) - 1n;
      return [fc.oneof(fc.bigInt(least, most), fc.constantFrom(least, most))];
    }
    default:
      return [];
  }
}

function membersOf(schema: ContractSchema): Arbitrary<Members> {
  const parts = (schema.allOf ?? []).map(membersOf);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    valuesOf(property).map((values) => [name, values] as const),
  );
  const members = fc.record(Object.fromEntries(own), {
    requiredKeys: own.map(([name]) => name).filter((name) => required.includes(name)),
  });
  return fc.tuple(members, ...parts).map((all) => Object.assign({}, ...all));
}

const json = (members: Members): string =>
  `{${Object.entries(members)
    .map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
    )
    .join(',')}}`;

/** The members in a row, typed as in the body. */
function contentOf(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    members.map(([name, value]) => [name, typeof value === 'number' ? BigInt(value) : value]),
  );
}

t.test('every plant that the YAML allows is stored exactly, and deleted', async (t) => {
  const { call, databaseUrl } = await startService(t);
  const { root } = readDocument(await readFile(contractFile, 'utf8'), contractFile);
  const newPlant = root.at('components', 'schemas', 'NewPlant');
  if (newPlant === undefined) throw new Error('The YAML has no schema NewPlant.');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  t.teardown(() => client.end());
  // One plant has a statement of its own; several at the same moment share some.
  const plants = fc.uniqueArray(membersOf(schemaReader()(newPlant)), {
    minLength: 1,
    maxLength: 4,
    selector: ({ id }) => id,
  });
  await fc.assert(
    fc.asyncProperty(plants, async (plants) => {
      await Promise.all(
        plants.map(async (plant) => {
          const { id, ...content } = plant;
          const { status, text } = await call('POST', '/plants', { body: json(plant) });
          t.equal(status, 200);
          t.strictSame(parseJson(text, 1), parseJson(json(content), 1));
        }),
      );
      const { rows } = await client.query('SELECT * FROM plants');
      const stored = new Map(rows.map(({ owner: _, ...row }) => [row.id, contentOf(row)]));
      t.equal(stored.size, plants.length);
      for (const plant of plants) t.strictSame(stored.get(plant['id']), plant);
      await Promise.all(
        plants.map(async ({ id }) => t.equal((await call('DELETE', `/plants/${id}`)).status, 204)),
      );
      t.strictSame((await client.query('SELECT FROM plants')).rowCount, 0);
    }),
    { numRuns: 200 },
  );
});
