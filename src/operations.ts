import type { operations, security } from '../generated/plants.js';
import type { BoundHandlers } from './contract/handlers.js';
import { plantHandlers } from './plants/operations.js';
import { PlantStore } from './plants/store.js';
import type { Database } from './postgres/database.js';

/** The handlers of all operations of the contract, each part of the service with its own. */
export function allHandlers(database: Database): BoundHandlers<keyof operations> {
  return { ...plantHandlers(new PlantStore(database)) };
}

/** The security schemes that operations ask for. */
export type SchemeName = security[keyof security][number];
