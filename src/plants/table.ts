import type { components } from '../../generated/plants.js';
import type { ColumnTypesOf } from '../storage/columns.js';
import type { StoredSchema } from '../storage/stored-schema.js';

export type NewPlant = components['schemas']['NewPlant'];
/** A plant without its key. */
export type Plant = Omit<NewPlant, 'id'>;

interface PlantsTable extends ColumnTypesOf<NewPlant> {}

/** The column of each member in the table that migrations/ makes. Creating, listing and comparing follow from it. */
const columns: PlantsTable = {
  id: 'bigint',
  name: 'text',
  tag: 'text',
};

export const plantsTable = {
  table: 'plants',
  schema: 'NewPlant',
  columns: { ...columns },
  besideContract: ['owner'],
} satisfies StoredSchema;
