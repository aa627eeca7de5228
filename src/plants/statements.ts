import type { Database } from '../postgres/database.js';
import type { Column, Members } from '../storage/columns.js';
import type { Key } from '../storage/keys.js';
import { type PlantRow, plantCreation } from './create.js';
import { deletePatiently, deletePlants } from './delete.js';
import { plantLookup } from './find.js';
import { plantPages } from './list.js';

/** Each runs all items or none, except for those that it answers with `heldUp`. */
export interface PlantStatements {
  readonly create: (plants: readonly PlantRow[]) => Promise<boolean[]>;
  readonly find: (keys: readonly Key[]) => Promise<(Members | undefined)[]>;
  readonly delete: (keys: readonly Key[]) => ReturnType<typeof deletePlants>;
  /** Waits for a row that somebody else locks, as long as a statement may take. */
  readonly deletePatiently: (keys: readonly Key[]) => Promise<boolean[]>;
  readonly pages: ReturnType<typeof plantPages>;
}

/** @param columns all but the key's */
export function plantStatements(database: Database, columns: readonly Column[]): PlantStatements {
  return {
    create: plantCreation(database, columns),
    find: plantLookup(database, columns),
    delete: (keys) => deletePlants(database, keys),
    deletePatiently: (keys) => Promise.all(keys.map((key) => deletePatiently(database, key))),
    pages: plantPages(database, columns),
  };
}
