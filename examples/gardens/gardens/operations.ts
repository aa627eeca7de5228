import { implement } from '../../../src/contract/handlers.js';
import { failure } from '../../../src/errors/failure.js';
import type { Owner } from '../../../src/fairness/owner.js';
import { resourceOf } from '../../../src/resources/resource.js';
import { Refused } from '../../../src/store/refused.js';
import type { contract, tags } from '../generated/gardens.js';
import { gardensTable } from './table.js';

const absent = failure(404, 'There is no garden with this id.');
const conflict = failure(409, 'A garden with this id and other content exists already.');

export const gardenResource = resourceOf(gardensTable, (gardens) =>
  implement<contract, tags['gardens'], Owner>()({
    async createGarden({ caller, body }) {
      const garden = await gardens.create(caller, body);
      return garden ? { status: 200, body: garden } : conflict;
    },

    async getGarden({ caller, path: { id } }) {
      const garden = await gardens.find(caller, id);
      return garden ? { status: 200, body: garden } : absent;
    },

    async listGardens({ caller, query }) {
      return { status: 200, body: await gardens.list(caller, query) };
    },

    async updateGarden({ caller, path: { id }, body }) {
      const garden = await gardens.update(caller, { ...body, id });
      return garden ? { status: 200, body: garden } : absent;
    },

    async deleteGarden({ caller, path: { id } }) {
      const deleted = await gardens.delete(caller, id);
      if (deleted instanceof Refused) return failure(409, 'The garden has beds: delete them first.');
      return deleted === true ? { status: 204 } : absent;
    },
  }),
);
