/**
 * Where beds are kept. The foreign key `beds_garden` leads to the garden of a bed, and the store answers
 * `noGarden` if there is none.
 */
import { tableOf } from '../../../packages/service/index.js';
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
  filters: ['garden'],
  sorts: ['id', 'name'],
  failures: { beds_garden: 'noGarden' },
});
