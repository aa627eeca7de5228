import type { Database } from '../postgres/database.js';
import type { Column, Members } from '../storage/columns.js';
import type { Key } from '../storage/keys.js';
import { type PlantRow, plantCreation } from './create.js';
import { deletePlants } from './delete.js';
import { plantLookup } from './find.js';
import { plantPages } from './list.js';

/** Each runs all items or none. */
export interface PlantStatements {
  readonly create: (plants: readonly PlantRow[]) => Promise<boolean[]>;
  readonly find: (keys: readonly Key[]) => Promise<(Members | undefined)[]>;
  readonly delete: (keys: readonly Key[]) => ReturnType<typeof deletePlants>;
  readonly pages: ReturnType<typeof plantPages>;
}

/** @param columns all but the key's */
export function plantStatements(database: Database, columns: readonly Column[]): PlantStatements {
  return {
    create: plantCreation(database, columns),
    find: plantLookup(database, columns),
    delete: (keys) => deletePlants(database, keys),
    pages: plantPages(database, columns),
  };
}
