import { tableOf } from '../../../src/store/table.js';
import type { components } from '../generated/gardens.js';

export const bedsTable = tableOf<components['schemas']['Bed']>()({
  table: 'beds',
  schema: 'Bed',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: true,
  columns: {
    id: 'bigint',
    garden: 'bigint',
    name: 'text',
  },
  failures: { beds_garden: 'noGarden' },
});
