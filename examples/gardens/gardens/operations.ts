/**
 * The handlers of the operations on gardens. If the store says `hasBeds`, a garden with beds was to be
 * deleted.
 */
import { failure, implement, type Owner, resourceOf } from '../../../packages/service/index.js';
import type { contract, tags } from '../generated/gardens.js';
import { gardensTable } from './table.js';

/** What is answered instead of a garden, by what the store says. */
const outcomes = {
  deleted: { status: 204 },
  absent: failure(404, 'There is no garden with this id.'),
  conflict: failure(409, 'A garden with this id and other content exists already.'),
  hasBeds: failure(409, 'The garden has beds: delete them first.'),
} as const;

export const gardenResource = resourceOf(gardensTable, (gardens) =>
  implement<contract, tags['gardens'], Owner>()({
    async createGarden({ caller, body, arrivedAt }) {
      const garden = await gardens.create(caller, body, arrivedAt);
      return typeof garden === 'string' ? outcomes[garden] : { status: 200, body: garden };
    },

    async getGarden({ caller, path: { id }, arrivedAt }) {
      const garden = await gardens.find(caller, id, arrivedAt);
      return garden ? { status: 200, body: garden } : outcomes.absent;
    },

    async listGardens({ caller, query, arrivedAt }) {
      return { status: 200, body: await gardens.list(caller, query, arrivedAt) };
    },

    async updateGarden({ caller, path: { id }, body, arrivedAt }) {
      const garden = await gardens.update(caller, { ...body, id }, arrivedAt);
      return typeof garden === 'string' ? outcomes[garden] : { status: 200, body: garden };
    },

    async deleteGarden({ caller, path: { id }, arrivedAt }) {
      return outcomes[await gardens.delete(caller, id, arrivedAt)];
    },
  }),
);
