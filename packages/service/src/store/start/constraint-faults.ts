/**
 * Compares the constraints of a table with the words that the service has for them: each constraint that can
 * refuse an item or a delete has a word, and each word has a constraint.
 */
import type { CatalogueTable } from '../../postgres/catalogue.js';
import { rowPolicy } from '../named-failure.js';
import type { StoredTable } from '../table.js';
import type { Fault } from './table-faults.js';

/** @param tables all tables that this version knows */
export function constraintFaults(
  { constraints, refusedBy }: CatalogueTable,
  { table, failures = {}, deleteFailures = {} }: StoredTable,
  tables: readonly StoredTable[],
): Fault[] {
  const unnamed = [...constraints].filter(([name]) => !Object.hasOwn(failures, name));
  const unnamedOfOthers = [...refusedBy].filter(([name]) => !Object.hasOwn(deleteFailures, name));
  const gone = Object.keys(failures).filter((name) => !constraints.has(name) && name !== rowPolicy);
  const goneOfOthers = Object.keys(deleteFailures).filter((name) => !refusedBy.has(name));
  return [
    ...unnamed.map(
      ([name, constraint]): Fault => ({
        what: `${table} has the constraint ${constraint}, which the contract does not describe`,
        advice: `drop it, or name ${name} in failures of its table`,
      }),
    ),
    ...unnamedOfOthers.map(([name, other]) => refusedDelete(table, name, other, tables)),
    ...gone.map(
      (name): Fault => ({
        what: `${table} has no constraint ${name}, which failures of its table names`,
        harmless: 'if newer',
      }),
    ),
    ...goneOfOthers.map(
      (name): Fault => ({
        what: `no constraint ${name} refuses deletes from ${table}, as deleteFailures of its table says`,
        harmless: 'if newer',
      }),
    ),
  ];
}

/** @param other the table that has the foreign key, as PostgreSQL writes its name */
function refusedDelete(table: string, name: string, other: string, tables: readonly StoredTable[]): Fault {
  const what = `the constraint ${name} of ${other} refuses deletes from ${table}`;
  const advice = `name it in deleteFailures of ${table}, or say ON DELETE CASCADE`;
  const isKnown = tables.some((known) => known.table === other.replaceAll('"', ''));
  if (isKnown) return { what, advice };
  return {
    what: `${what}, and this version does not know ${other}, so it answers them 503`,
    advice,
    harmless: 'always',
  };
}
