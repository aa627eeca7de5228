import { readFile } from 'node:fs/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { contractFile } from '../../../kit/index.js';
import { readContractText } from '../../../service-tools/index.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { optionalTexts } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';

/** A change of the table, and the error of the start after it. */
const drifts: readonly [statement: string, sentence: string][] = [
  [
    'ALTER TABLE plants ALTER id TYPE integer',
    'the column plants.id is integer, and `columns` of its table.ts says bigint: change it by a migration.',
  ],
  [
    'ALTER TABLE plants ALTER id TYPE numeric(10, 2)',
    'the column plants.id is numeric(10,2), and `columns` of its table.ts says bigint: change it by a migration.',
  ],
  [
    'ALTER TABLE plants ALTER name TYPE varchar(100)',
    'the column plants.name holds 100 characters, and the contract admits up to 255.',
  ],
  [
    'ALTER TABLE plants ALTER name TYPE char(255)',
    'the column plants.name is character(255), and `columns` of its table.ts says text: change it by a migration.',
  ],
  ...optionalTexts.flatMap((member): [string, string][] =>
    [
      `ALTER TABLE plants ALTER "${member}" SET NOT NULL`,
      `ALTER TABLE plants ALTER "${member}" SET DEFAULT 'none', ALTER "${member}" SET NOT NULL`,
    ].map((statement) => [
      statement,
      `the column plants.${member} is NOT NULL, and the contract lets the member be absent.`,
    ]),
  ),
  [
    'ALTER TABLE plants ALTER name DROP NOT NULL',
    'the column plants.name may be NULL, and the contract requires name: add a migration that fills it and sets it NOT NULL.',
  ],
  ['ALTER TABLE plants DROP name', 'the column plants.name is missing: add a migration for name.'],
  [
    'ALTER TABLE plants ADD colour text NOT NULL',
    'the column plants.colour is NOT NULL, and NewPlant has no such member.',
  ],
  [
    'ALTER TABLE plants ADD CHECK (length(name) < 20)',
    'plants has the constraint CHECK ((length(name) < 20)), which the contract does not describe: drop it, or name plants_name_check in failures of its table.',
  ],
  [
    'ALTER TABLE plants DROP CONSTRAINT plants_pkey',
    'plants needs PRIMARY KEY (owner, id), and has no primary key.',
  ],
  [
    'ALTER TABLE plants DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id, owner)',
    'plants needs PRIMARY KEY (owner, id), and has PRIMARY KEY (id, owner).',
  ],
  ['CREATE UNIQUE INDEX ON plants (owner, name)', 'plants has the constraint CREATE UNIQUE INDEX'],
];

const text = await readFile(contractFile, 'utf8');

/** The tables that `remake` makes, to which no foreign key refers. */
const remade = plantStore.tables.map((table) => ({ ...table, deleteFailures: {} }));

/** Makes the table as the migrations do, but for the foreign keys of other tables, and changes it. */
async function remake(client: pg.Client, statement: string): Promise<void> {
  await client.query(
    'DROP TABLE IF EXISTS plants CASCADE; CREATE TABLE plants (LIKE migrated INCLUDING ALL)',
  );
  await client.query(statement);
}

async function migrated(t: Test): Promise<{ database: Database; client: pg.Client }> {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  const database = new Database(url, () => {});
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE migrated (LIKE plants INCLUDING ALL)');
  t.teardown(async () => {
    await client.end();
    await database.close();
  });
  return { database, client };
}

t.test(
  'the start names a table that could refuse what the contract allows, with the place in the YAML',
  async (t) => {
    const { database, client } = await migrated(t);
    const contract = await readContractText(text, contractFile);
    await t.resolves(
      checkTables(contract, database, plantStore.tables),
      'the table of the migrations holds all',
    );
    for (const [statement, sentence] of drifts) {
      await remake(client, statement);
      const failure = await checkTables(contract, database, remade).catch((error) => error);
      t.match(failure.message, /^openapi\/plants\.yaml:\d+:\d+: /, statement);
      t.ok(failure.message.includes(sentence), sentence, { said: failure.message });
    }
  },
);

t.test('a table that no migration has made is named once, with the folder of its migration', async (t) => {
  const { database, client } = await migrated(t);
  const contract = await readContractText(text, contractFile);
  await client.query('DROP TABLE plants CASCADE');
  await t.rejects(checkTables(contract, database, remade), {
    name: 'ContractError',
    message:
      /^openapi\/plants\.yaml:\d+:\d+: there is no table plants: [^\n]+"migrations" of its resource\.$/,
  });
});

t.test('the start accepts a column type that holds as many characters as the contract allows', async (t) => {
  const { database, client } = await migrated(t);
  const contract = await readContractText(text, contractFile);
  for (const length of [255, 256]) {
    await remake(client, `ALTER TABLE plants ALTER name TYPE varchar(${length})`);
    await t.resolves(checkTables(contract, database, remade), String(length));
  }
});

t.test('the start refuses a contract that outgrows its tables, with the place in the YAML', async (t) => {
  const { database, client } = await migrated(t);
  await remake(client, 'ALTER TABLE plants ALTER name TYPE varchar(255)');
  const longer = await readContractText(text.replaceAll('          maxLength: 255\n', ''), contractFile);
  await t.rejects(checkTables(longer, database, remade), {
    name: 'ContractError',
    message:
      /^openapi\/plants\.yaml:\d+:\d+: the column plants\.name holds 255 characters, and the contract admits any number\.$/,
  });
  const renamed = await readContractText(text.replaceAll('NewPlant', 'Seedling'), contractFile);
  await t.rejects(checkTables(renamed, database, remade), {
    name: 'ContractError',
    message:
      /^openapi\/plants\.yaml:\d+:\d+: there is no schema NewPlant, which a table is made for: add it, or correct the "schema" of the table\.$/,
  });
});
