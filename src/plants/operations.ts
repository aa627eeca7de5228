/**
 * The handlers of the contract's operations. Each turns a typed request into one of the documented answers;
 * what it promises of retries and owners is the store's.
 */

import type { contract, tags } from '../../generated/plants.js';
import { failure, implement, type Owner, resourceOf } from '../../packages/service/index.js';
import { plantsTable } from './table.js';

/** The answer to each word that the store says of a delete. */
const deletions = {
  deleted: { status: 204 },
  absent: failure(404, 'There is no plant with this id.'),
} as const;

/** The table of plants, and the handlers of its operations. */
export const plantResource = resourceOf(plantsTable, (plants) =>
  implement<contract, tags['plants'], Owner>()({
    async createPlant({ caller, body, arrivedAt }) {
      const plant = await plants.create(caller, body, arrivedAt);
      if (plant === 'conflict') return failure(409, 'A plant with this id and other content exists already.');
      return { status: 200, body: plant };
    },

    async listPlants({ caller, query, arrivedAt }) {
      return { status: 200, body: await plants.list(caller, query, arrivedAt) };
    },

    async deletePlant({ caller, path: { id }, arrivedAt }) {
      return deletions[await plants.delete(caller, id, arrivedAt)];
    },
  }),
);
