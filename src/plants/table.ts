import type { components } from '../../generated/plants.js';
import { tableOf } from '../storage/stored-schema.js';

export type NewPlant = components['schemas']['NewPlant'];
export type Plant = Omit<NewPlant, 'id'>;

/** Creating, listing and comparing follow from these columns. */
export const plantsTable = tableOf<NewPlant>()({
  table: 'plants',
  schema: 'NewPlant',
  besideContract: ['owner'],
  columns: {
    id: 'bigint',
    name: 'text',
    tag: 'text',
  },
});
