import type { components } from '../../generated/plants.js';
import { tableOf } from '../store/table.js';

export type NewPlant = components['schemas']['NewPlant'];
export type Plant = Omit<NewPlant, 'id'>;

/** Creating, listing and comparing follow from these columns. */
export const plantsTable = tableOf<NewPlant>()({
  table: 'plants',
  schema: 'NewPlant',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: false,
  columns: {
    id: 'bigint',
    name: 'text',
    tag: 'text',
  },
});
