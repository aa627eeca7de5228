import type { components } from '../../generated/plants.js';
import { tableOf } from '../storage/stored-schema.js';

export type NewPlant = components['schemas']['NewPlant'];
/** A plant without its key. */
export type Plant = Omit<NewPlant, 'id'>;

/**
 * The column of each member, in the table that migrations/ makes. Creating, listing and comparing follow from
 * it.
 */
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
