/**
 * Where plants are kept: the table of PostgreSQL, and a column for each member of `NewPlant`. The compiler
 * compares the columns with the contract's types, and the start compares them with the database.
 */

import type { components } from '../../generated/plants.js';
import { tableOf } from '../../packages/service/index.js';

export type NewPlant = components['schemas']['NewPlant'];
export type Plant = Omit<NewPlant, 'id'>;

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
