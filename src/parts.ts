/** Only this file names the folders of resources. */
import { join } from 'node:path';
import type { operations, security } from '../generated/plants.js';
import { tokensTable } from './access/token-store.js';
import type { Contract } from './contract/document/document.js';
import type { BoundHandlers } from './contract/handlers.js';
import { openPlants } from './plants/open.js';
import { plantHandlers } from './plants/operations.js';
import { plantsTable } from './plants/table.js';
import type { Database } from './postgres/database.js';
import type { NeededTable } from './postgres/readiness.js';
import { projectFolder } from './project.js';
import { columnsOf, type StoredSchema } from './storage/stored-schema.js';

export type Handlers = BoundHandlers<keyof operations>;

export async function allHandlers(contract: Contract, database: Database): Promise<Handlers> {
  return {
    ...plantHandlers(await openPlants(database, columnsOf(contract, plantsTable))),
  };
}

export const storedSchemas: readonly StoredSchema[] = [plantsTable];

/** What requests need; `/ready` asks for it. */
export const neededTables: readonly NeededTable[] = [
  { name: tokensTable, columns: [], rights: ['SELECT'] },
  ...storedSchemas.map(({ table, columns, besideContract }) => ({
    name: table,
    columns: [...Object.keys(columns), ...besideContract],
    rights: ['SELECT', 'INSERT', 'DELETE'] as const,
  })),
];

export const migrationFolders = ['access', 'plants'].map((folder) =>
  join(projectFolder, 'src', folder, 'migrations'),
);

export type SchemeName = security[keyof security][number];
