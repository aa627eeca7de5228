import type { operations, security } from '../../generated/plants.js';
import type { Owner } from '../access/bearer.js';
import type { Handlers } from '../contract/handlers.js';
import type { PlantStore } from './store.js';

/** One function for each operation of openapi/plants.yaml: from its request to one of its documented answers. */
export type PlantHandlers = Handlers<operations, security, Owner>;

/** What the operations need of a store. */
export type Plants = Pick<PlantStore, 'create' | 'list' | 'delete'>;

export function plantHandlers(plants: Plants): PlantHandlers {
  return {
    async createPlant({ caller, body: { id, name, tag } }) {
      const plant = await plants.create(caller, tag === undefined ? { id, name } : { id, name, tag });
      return { status: 200, body: plant };
    },

    async listPlants({ caller, query: { limit } }) {
      return { status: 200, body: plants.list(caller, limit) };
    },

    async deletePlant({ caller, path: { id } }) {
      await plants.delete(caller, id);
      return { status: 204 };
    },
  };
}
