import t from 'tap';
import { migrate } from '../../src/postgres/migrations.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';
import { allParts, resourcesOf } from '../support/resources.js';

/** What a resource has follows from its parts, and the start refuses a table that does not fit the contract. */

for (const parts of allParts) {
  t.test(
    `${parts.tables.map(({ table }) => table).join(', ')}: the parts follow from the resources`,
    async (t) => {
      t.strictSame(
        parts.neededTables.map(({ name }) => name),
        ['access_tokens', ...parts.tables.map(({ table }) => table)],
      );
      for (const { name, rights } of parts.neededTables.slice(1))
        t.strictSame(rights, ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], name);
      t.strictSame(
        parts.migrationFolders.map((folder) => folder.split('/').slice(-2)),
        ['access', ...parts.tables.map(({ table }) => table)].map((name) => [name, 'migrations']),
      );
    },
  );

  t.test(
    `${parts.tables.map(({ table }) => table).join(', ')}: the start refuses a changed table`,
    async (t) => {
      const url = await makeDatabase(t);
      await migrate(url, parts.migrationFolders);
      const database = openDatabase(t, url);
      const contract = await parts.readContract();
      await t.resolves(checkTables(contract, database, parts.tables));
      for (const { name } of await resourcesOf(parts)) {
        for (const [change, undo, said] of [
          ['ALTER name DROP NOT NULL', 'ALTER name SET NOT NULL', `${name}.name may be NULL`],
          ['RENAME name TO title', 'RENAME title TO name', `${name}.name is missing`],
          ['ALTER name TYPE varchar(9)', 'ALTER name TYPE text', `${name}.name holds 9 characters`],
          ['ADD size integer NOT NULL', 'DROP size', `${name}.size is NOT NULL`],
          ['ADD CONSTRAINT one UNIQUE (id)', 'DROP CONSTRAINT one', `${name} has the constraint UNIQUE (id)`],
        ] as const) {
          await database.query({ text: `ALTER TABLE ${name} ${change}` });
          const place = /[a-z]+\.yaml:\d+:\d+: /;
          const error = await checkTables(contract, database, parts.tables).catch((reason) => reason);
          t.match(error?.message, place, change);
          t.match(error?.message, said, change);
          await database.query({ text: `ALTER TABLE ${name} ${undo}` });
        }
      }
      await t.resolves(checkTables(contract, database, parts.tables));
    },
  );
}
