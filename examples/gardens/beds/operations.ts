import { implement } from '../../../src/contract/handlers.js';
import { failure } from '../../../src/errors/failure.js';
import type { Owner } from '../../../src/fairness/owner.js';
import { resourceOf } from '../../../src/resources/resource.js';
import { Refused } from '../../../src/store/refused.js';
import type { contract, tags } from '../generated/gardens.js';
import { bedsTable } from './table.js';

const absent = failure(404, 'There is no bed with this id.');
const conflict = failure(409, 'A bed with this id and other content exists already.');

export const bedResource = resourceOf(bedsTable, (beds) =>
  implement<contract, tags['beds'], Owner>()({
    async createBed({ caller, body }) {
      const bed = await beds.create(caller, body);
      if (bed instanceof Refused) return failure(404, 'There is no garden with this id.');
      return bed ? { status: 200, body: bed } : conflict;
    },

    async getBed({ caller, path: { id } }) {
      const bed = await beds.find(caller, id);
      return bed ? { status: 200, body: bed } : absent;
    },

    async listBeds({ caller, query }) {
      return { status: 200, body: await beds.list(caller, query) };
    },

    async deleteBed({ caller, path: { id } }) {
      const deleted = await beds.delete(caller, id);
      return deleted === true ? { status: 204 } : absent;
    },
  }),
);
