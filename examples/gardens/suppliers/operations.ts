/**
 * The handlers of the operations on suppliers. A create has no key, so it cannot be a conflict, and its answer
 * says in `Location` where the new supplier is.
 */
import { failure, implement, type Owner, resourceOf } from '../../../packages/service/index.js';
import type { contract, tags } from '../generated/gardens.js';
import { suppliersTable } from './table.js';

/** What is answered instead of a supplier, by what the store says. */
const outcomes = {
  deleted: { status: 204 },
  absent: failure(404, 'There is no supplier with this id.'),
} as const;

export const supplierResource = resourceOf(suppliersTable, (suppliers) =>
  implement<contract, tags['suppliers'], Owner>()({
    async createSupplier({ caller, body, arrivedAt }) {
      const supplier = await suppliers.create(caller, body, arrivedAt);
      return { status: 201, headers: { Location: `/suppliers/${supplier.id}` }, body: supplier };
    },

    async getSupplier({ caller, path: { id }, arrivedAt }) {
      const supplier = await suppliers.find(caller, id, arrivedAt);
      return supplier ? { status: 200, body: supplier } : outcomes.absent;
    },

    async listSuppliers({ caller, query, arrivedAt }) {
      return { status: 200, body: await suppliers.list(caller, query, arrivedAt) };
    },

    async deleteSupplier({ caller, path: { id }, arrivedAt }) {
      return outcomes[await suppliers.delete(caller, id, arrivedAt)];
    },
  }),
);
