/**
 * Where gardens are kept. The foreign key `beds_garden` of beds refuses to delete a garden that has some, and
 * the store answers `hasBeds` then.
 */
import { tableOf } from '../../../packages/service/index.js';
import type { components } from '../generated/gardens.js';

export const gardensTable = tableOf<components['schemas']['Garden']>()({
  table: 'gardens',
  schema: 'Garden',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: true,
  columns: {
    id: 'bigint',
    name: 'text',
    area: 'integer',
  },
  deleteFailures: { beds_garden: 'hasBeds' },
});
