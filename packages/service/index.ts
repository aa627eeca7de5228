/**
 * Serves a contract from PostgreSQL. This is the door for a service of one's own: its tables, its handlers, and the
 * service that they make. `program.ts` beside it is the second door, for the file that runs.
 *
 * @example a service with one resource
 * ```ts
 * const itemsTable = tableOf<components['schemas']['Item']>()({ table: 'items', schema: 'Item', owner: 'owner', … });
 * const itemResource = resourceOf(itemsTable, (items) =>
 *   implement<contract, tags['items'], Owner>()({
 *     async getItem({ caller, path: { id }, arrivedAt }) {
 *       const item = await items.find(caller, id, arrivedAt);
 *       return item ? { status: 200, body: item } : failure(404, 'There is no item with this id.');
 *     },
 *   }),
 * );
 * export const itemService = serviceOf<contract>()({
 *   readContract: () => readGenerated('openapi/items.yaml', document),
 *   folder: import.meta.dirname,
 *   resources: { items: itemResource },
 * });
 * ```
 */
export { type GeneratedDocument, readGenerated } from './src/contract/generated.js';
export { implement } from './src/contract/handlers.js';
export { failure } from './src/errors/failure.js';
export type { Owner } from './src/identity/owner.js';
export { resourceOf } from './src/resources/resource.js';
export { serviceOf } from './src/resources/service-of.js';
export { tableOf } from './src/store/table.js';
