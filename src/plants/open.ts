import type { Database } from '../postgres/database.js';
import type { Column } from '../storage/columns.js';
import { PlantStore, type Plants } from './store.js';

/** @param columns those of plantsTable */
export async function openPlants(database: Database, columns: readonly Column[]): Promise<Plants> {
  if (!(await isDistributed(database))) return new PlantStore(database, columns);
  const { CitusPlants } = await import('./citus.js');
  return new CitusPlants(database, columns);
}

/** By Citus, which has a table of distributed tables. */
async function isDistributed(database: Database): Promise<boolean> {
  const citus = await database.query({
    text: "SELECT WHERE to_regclass('pg_dist_partition') IS NOT NULL",
    reads: true,
  });
  if (citus.rowCount === 0) return false;
  const { rowCount } = await database.query({
    text: "SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('plants')",
    reads: true,
  });
  return rowCount === 1;
}
