/**
 * The handlers of the operations on beds. A bed belongs to a garden of the same owner. If the store says
 * `noGarden`, that garden does not exist.
 */
import { failure, implement, type Owner, resourceOf } from '../../../packages/service/index.js';
import type { contract, tags } from '../generated/gardens.js';
import { bedsTable } from './table.js';

/** What is answered instead of a bed, by what the store says. */
const outcomes = {
  deleted: { status: 204 },
  absent: failure(404, 'There is no bed with this id.'),
  conflict: failure(409, 'A bed with this id and other content exists already.'),
  noGarden: failure(404, 'There is no garden with this id.'),
} as const;

export const bedResource = resourceOf(bedsTable, (beds) =>
  implement<contract, tags['beds'], Owner>()({
    async createBed({ caller, body, arrivedAt }) {
      const bed = await beds.create(caller, body, arrivedAt);
      return typeof bed === 'string' ? outcomes[bed] : { status: 200, body: bed };
    },

    async getBed({ caller, path: { id }, arrivedAt }) {
      const bed = await beds.find(caller, id, arrivedAt);
      return bed ? { status: 200, body: bed } : outcomes.absent;
    },

    async listBeds({ caller, query, arrivedAt }) {
      return { status: 200, body: await beds.list(caller, query, arrivedAt) };
    },

    async deleteBed({ caller, path: { id }, arrivedAt }) {
      return outcomes[await beds.delete(caller, id, arrivedAt)];
    },
  }),
);
