/**
 * Refuses a table that could refuse, change or lose what the contract admits, before the service takes its
 * first request.
 *
 * Three descriptions of a table exist: the schema of the contract, the columns in the code (table.ts), and
 * the table in the database, which migrations have made. The compiler compares only the first two, and only
 * their types. For each table, this file asks:
 *
 * 1. Is there a table, and is its primary key the owner, then the key?
 * 2. Does each member have a column whose type holds all of its values, whose length is enough, and that is
 *    NULL only if the member may be absent?
 * 3. Could PostgreSQL refuse a value that the contract admits: by U+0000 in a text, or by a column that is
 *    NOT NULL and holds no member?
 * 4. Does each constraint that can refuse an item have a word in the table, and each word a constraint?
 * 5. Does each filter of a list, each order, and each filter with an order have an index?
 *
 * For example, a migration makes `name varchar(100)`, and the contract admits 255 characters. Without this
 * check, a name of 101 characters would be a 500. With it, the start ends with the place of the member in the
 * YAML, and the sentence "the column plants.name holds 100 characters, and the contract admits up to 255."
 *
 * The same check runs after new migrations, before their commit, so a wrong one is rolled back.
 *
 * In a rolling upgrade, this version may have to start on the tables of a newer one. It must not end because
 * of a difference that does not hurt it: a foreign key of a table that it does not know, or a constraint that
 * the newer version has dropped. Such a difference is a warning. If the tables do not fit any more, the error
 * names the newer migrations, because the advice is for whoever writes the next one.
 */

import { ContractError, inFull } from '../../../../exact-json/index.js';
import type { Contract } from '../../contract/contract.js';
import { membersOf } from '../../contract/document/members.js';
import { StartError } from '../../errors/start.js';
import { readTable } from '../../postgres/catalogue.js';
import type { Database } from '../../postgres/database.js';
import type { StoredTable } from '../table.js';
import { constraintFaults } from './constraint-faults.js';
import { columnFaults, type Fault, indexFaults, keyFaults, orderFaults } from './table-faults.js';

/**
 * Checks that the tables hold what the contract admits.
 *
 * @param unknown the names of applied migrations that this version does not know
 * @returns a sentence for each difference that the service can start with
 * @throws {ContractError} with a sentence for each fault
 * @throws {StartError} instead, if the database is newer than this version
 * @throws {Error} what `database.query` throws
 */
export async function checkTables(
  contract: Contract,
  database: Pick<Database, 'query'>,
  tables: readonly StoredTable[],
  unknown: readonly string[] = [],
): Promise<string[]> {
  const faults: Fault[] = [];
  for (const stored of tables) faults.push(...(await faultsOf(contract, database, stored, tables)));
  const isNewer = unknown.length > 0;
  const isBearable = ({ harmless }: Fault) => harmless === 'always' || (harmless === 'if newer' && isNewer);
  const unbearable = faults.filter((fault) => !isBearable(fault));
  if (unbearable.length > 0) {
    if (isNewer) throw new StartError(newerThanThis(unknown, unbearable));
    throw new ContractError(unbearable.map(sentenceOf), inFull);
  }
  const warnings = faults.map((fault) => (isNewer ? `${fault.what}.` : sentenceOf({ ...fault, place: '' })));
  return isNewer ? [newer(unknown), ...warnings] : warnings;
}

async function faultsOf(
  contract: Contract,
  database: Pick<Database, 'query'>,
  stored: StoredTable,
  tables: readonly StoredTable[],
): Promise<Fault[]> {
  const members = membersOf(contract, stored.schema);
  const place = contract.place(['components', 'schemas', stored.schema]);
  const inDatabase = await readTable(database, stored.table);
  const faults =
    inDatabase.columns.size === 0
      ? [
          {
            what: `there is no table ${stored.table}`,
            advice: 'add a migration that makes it to the folder "migrations" of its resource',
          },
        ]
      : [
          ...columnFaults(members, inDatabase, stored),
          ...constraintFaults(inDatabase, stored, tables),
          ...keyFaults(inDatabase, stored),
          ...orderFaults(stored),
          ...indexFaults(inDatabase, stored),
        ];
  const needsDigits = Object.values(stored.columns).includes('double precision');
  return [
    ...faults.map((fault) => ({ place, ...fault })),
    ...(needsDigits ? await digitFaults(database) : []),
  ];
}

/** PostgreSQL rounds if extra_float_digits is below 1 (PostgreSQL documentation, section 8.1.3). */
async function digitFaults(database: Pick<Database, 'query'>): Promise<Fault[]> {
  const { rows } = await database.query<{ digits: number }>({
    text: `SELECT current_setting('extra_float_digits')::int AS digits`,
  });
  return rows.flatMap(({ digits }) =>
    digits > 0
      ? []
      : [
          {
            what: `The database has extra_float_digits = ${digits}, which rounds numbers`,
            advice: 'set it to 1',
          },
        ],
  );
}

function sentenceOf({ place = '', what, advice }: Fault): string {
  return `${place === '' ? '' : `${place}: `}${what}${advice === undefined ? '' : `: ${advice}`}.`;
}

function newer(unknown: readonly string[]): string {
  return `The database is newer than this version: a newer one has applied ${unknown.join(', ')}.`;
}

function newerThanThis(unknown: readonly string[], faults: readonly Fault[]): string {
  const reasons = faults.map(({ what }) => what).join('; ');
  return `${newer(unknown)} This version cannot start on it: ${reasons}. Start a version that has these migrations (docs/scale/replicas.md).`;
}
