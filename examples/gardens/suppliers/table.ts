/** Where suppliers are kept. The server makes their keys, which are UUIDs. */
import { tableOf } from '../../../packages/service/index.js';
import type { components } from '../generated/gardens.js';

export const suppliersTable = tableOf<components['schemas']['Supplier']>()({
  table: 'suppliers',
  schema: 'Supplier',
  owner: 'owner',
  key: 'id',
  keyFrom: 'server',
  isKeyAnswered: true,
  columns: {
    id: 'uuid',
    name: 'text',
  },
});
