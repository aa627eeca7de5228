import type { Database } from '../postgres/database.js';
import type { Column, Members } from '../storage/columns.js';
import type { Key } from '../storage/keys.js';
import { type PlantRow, plantCreation } from './create.js';
import { deletePatiently, deletePlants } from './delete.js';
import { plantLookup } from './find.js';
import { plantPages } from './list.js';

/** Each runs all items or none, except for those that it answers with `heldUp`; until `deadline`, as `Statement` has it. */
export interface PlantStatements {
  readonly create: (plants: readonly PlantRow[], deadline: number) => Promise<boolean[]>;
  readonly find: (keys: readonly Key[], deadline: number) => Promise<(Members | undefined)[]>;
  readonly delete: (keys: readonly Key[], deadline: number) => ReturnType<typeof deletePlants>;
  /** Waits for a row that somebody else locks. */
  readonly deletePatiently: (keys: readonly Key[], deadline: number) => Promise<boolean[]>;
  readonly pages: ReturnType<typeof plantPages>;
}

/** @param columns all but the key's */
export function plantStatements(database: Database, columns: readonly Column[]): PlantStatements {
  return {
    create: plantCreation(database, columns),
    find: plantLookup(database, columns),
    delete: (keys, deadline) => deletePlants(database, keys, deadline),
    deletePatiently: (keys, deadline) =>
      Promise.all(keys.map((key) => deletePatiently(database, key, deadline))),
    pages: plantPages(database, columns),
  };
}
