import { readdir } from 'node:fs/promises';
import { plantStore } from '../../../../../src/plant-store.js';

/** Lists the names of all migrations of the plant store, in the order in which they are applied. */
export async function migrationNames(): Promise<string[]> {
  const files = await Promise.all(plantStore.migrationFolders.map((folder) => readdir(folder)));
  return files
    .flat()
    .filter((name) => name.endsWith('.sql'))
    .sort();
}
