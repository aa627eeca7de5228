/** The service of gardens. Only this file names the folders of its resources. */
import { join } from 'node:path';
import { type GeneratedDocument, readGenerated } from '../../packages/service/src/contract/generated.js';
import { serviceOf } from '../../packages/service/src/resources/service-of.js';
import { bedResource } from './beds/operations.js';
import { gardenResource } from './gardens/operations.js';
import type { contract } from './generated/gardens.js';
import document from './generated/gardens.json' with { type: 'json' };
import { supplierResource } from './suppliers/operations.js';

export const gardenService = serviceOf<contract>()({
  // Codegen has written the file in this form. TypeScript reads its texts as any text, such as "type" of a
  // schema.
  readContract: () =>
    readGenerated(
      join(import.meta.dirname, 'openapi', 'gardens.yaml'),
      document as object as GeneratedDocument,
    ),
  folder: import.meta.dirname,
  resources: {
    gardens: gardenResource,
    beds: bedResource,
    suppliers: supplierResource,
  },
});
