import type { contract, tags } from '../../generated/plants.js';
import { implement } from '../contract/handlers.js';
import { failure } from '../errors/failure.js';
import type { Owner } from '../fairness/owner.js';
import { resourceOf } from '../resources/resource.js';
import { plantsTable } from './table.js';

export const plantResource = resourceOf(plantsTable, (plants) =>
  implement<contract, tags['plants'], Owner>()({
    async createPlant({ caller, body }) {
      const plant = await plants.create(caller, body);
      if (plant === undefined) return failure(409, 'A plant with this id and other content exists already.');
      return { status: 200, body: plant };
    },

    async listPlants({ caller, query: { limit } }) {
      return { status: 200, body: await plants.list(caller, { limit }) };
    },

    async deletePlant({ caller, path: { id } }) {
      const deleted = await plants.delete(caller, id);
      return deleted === true ? { status: 204 } : failure(404, 'There is no plant with this id.');
    },
  }),
);
