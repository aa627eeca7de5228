/** Puts the statements of a table together, one file for each kind: changes, finds and lists. */
import type { LongLists } from '../../fairness/long-lists.js';
import type { Database } from '../../postgres/database.js';
import type { Members } from '../columns/columns.js';
import type { TableNames } from '../table.js';
import { type Changes, creates, deletes, updates } from './change.js';
import { lookup } from './find.js';
import type { Key } from './keys.js';
import { pagesOf } from './list.js';
import type { ListKind } from './pages.js';

/**
 * The statements of a table, for its store. Each runs all items or none, and throws what `Database.query` throws.
 * `deadline` is when it should have ended, in milliseconds of performance.now().
 */
export interface Statements {
  readonly create: Changes;
  readonly find: (keys: readonly Key[], deadline: number) => Promise<(Members | undefined)[]>;
  readonly update: Changes;
  readonly delete: Changes;
  /** @param kind what the lists have in common */
  readonly pages: (kind: ListKind) => ReturnType<typeof pagesOf>;
}

/** The statements for an ordinary PostgreSQL. distributed-store.ts replaces some of them. */
export function statements(database: Database, names: TableNames, longLists: LongLists): Statements {
  return {
    create: creates(database, names),
    find: lookup(database, names),
    update: updates(database, names),
    delete: deletes(database, names),
    pages: (kind) => pagesOf(database, names, longLists, kind),
  };
}
