import { readFile } from 'node:fs/promises';
import fc, { type Arbitrary } from 'fast-check';
import pg from 'pg';
import t from 'tap';
import { parseContract } from '../src/contract/document.js';
import type { ContractSchema } from '../src/contract/schema.js';
import { contractFile } from '../src/project.js';
import { startService } from './support/service.js';

/** Everything that the YAML admits as a NewPlant is generated from the YAML, and must be stored as it is. */

type Members = Readonly<Record<string, string | bigint>>;

function stringsOf({ minLength = 0, maxLength = 0, pattern = '' }: ContractSchema): Arbitrary<string> {
  const [least, most, form] = [Number(minLength), Number(maxLength), new RegExp(String(pattern), 'u')];
  const characters = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
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

function valuesOf(schema: ContractSchema): Arbitrary<string | bigint> {
  if (schema.type !== 'integer') return stringsOf(schema);
  const bits = BigInt(String(schema.format).slice('int'.length));
  const [least, most] = [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  return fc.oneof(fc.bigInt(least, most), fc.constantFrom(least, most, 0n));
}

function membersOf(schema: ContractSchema): Arbitrary<Members> {
  const parts = (schema.allOf ?? []).map(membersOf);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const own = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, valuesOf(property)] as const,
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

t.test('whatever the YAML admits is stored, to the last character and digit, and deleted', async (t) => {
  const { call, databaseUrl } = await startService(t);
  const { resolved } = await parseContract(await readFile(contractFile, 'utf8'), contractFile);
  const schema = resolved.components?.schemas?.['NewPlant'];
  if (schema === undefined || '$ref' in schema) throw new Error('The YAML has no schema NewPlant.');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  t.teardown(() => client.end());
  // openapi-types does not know that its references are resolved.
  const plain: ContractSchema = JSON.parse(JSON.stringify(schema));
  // One has a statement of its own, and several of the same moment share some.
  const plants = fc.uniqueArray(membersOf(plain), { minLength: 1, maxLength: 4, selector: ({ id }) => id });
  await fc.assert(
    fc.asyncProperty(plants, async (plants) => {
      await Promise.all(
        plants.map(async (plant) => {
          const { id, ...content } = plant;
          const { status, body } = await call('POST', '/plants', { body: json(plant) });
          t.equal(status, 200);
          t.strictSame(body, content);
        }),
      );
      const { rows } = await client.query('SELECT id, name, tag FROM plants');
      const stored = new Map(rows.map((row) => [row.id, row]));
      t.equal(stored.size, plants.length);
      for (const { id, name, tag = null } of plants) t.strictSame(stored.get(id), { id, name, tag });
      await Promise.all(
        plants.map(async ({ id }) => t.equal((await call('DELETE', `/plants/${id}`)).status, 204)),
      );
      t.strictSame((await client.query('SELECT FROM plants')).rowCount, 0);
    }),
    { numRuns: 200 },
  );
});
