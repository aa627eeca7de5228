import type { contract } from '../../../generated/plants.js';
import { implement } from '../../../src/contract/handlers.js';
import { failure } from '../../../src/errors/failure.js';
import type { Owner } from '../../../src/fairness/owner.js';
import type { Plant } from '../../../src/plants/table.js';
import { exactJson } from '../../../src/store/columns/exact-json.js';

/** Keeps the promises of src/store/store.ts in memory, for the life of the process. */
export function memoryHandlers() {
  const stores = new Map<Owner, Map<bigint, Plant>>();
  const storeOf = (owner: Owner): Map<bigint, Plant> => {
    const store = stores.get(owner) ?? new Map<bigint, Plant>();
    stores.set(owner, store);
    return store;
  };

  return implement<contract, 'createPlant' | 'listPlants' | 'deletePlant', Owner>()({
    async createPlant({ caller, body: { id, ...plant } }) {
      const plants = storeOf(caller);
      const stored: Plant = plants.get(id) ?? plant;
      if (exactJson(stored) !== exactJson(plant))
        return failure(409, 'A plant with this id and other content exists already.');
      plants.set(id, stored);
      return { status: 200, body: stored };
    },

    async listPlants({ caller, query: { limit } }) {
      const ascending = [...storeOf(caller)].sort(([a], [b]) => (a < b ? -1 : 1));
      return { status: 200, body: ascending.slice(0, limit).map(([, plant]) => plant) };
    },

    async deletePlant({ caller, path: { id } }) {
      const deleted = storeOf(caller).delete(id);
      return deleted ? { status: 204 } : failure(404, 'There is no plant with this id.');
    },
  });
}
