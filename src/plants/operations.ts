import type { operations, security, tags } from '../../generated/plants.js';
import type { Owner } from '../access/bearer.js';
import { implement } from '../contract/handlers.js';
import type { PlantStore } from './store.js';

/** One function for each operation that openapi/plants.yaml tags `plants`: from its request to a documented answer. */
export function plantHandlers(plants: PlantStore) {
  return implement<{ operations: operations; security: security }, tags['plants'], Owner>()({
    async createPlant({ caller, body }) {
      return { status: 200, body: await plants.create(caller, body) };
    },

    async listPlants({ caller, query: { limit } }) {
      return { status: 200, body: await plants.list(caller, limit) };
    },

    async deletePlant({ caller, path: { id } }) {
      await plants.delete(caller, id);
      return { status: 204 };
    },
  });
}
