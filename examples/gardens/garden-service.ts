/** The service of gardens. Only this file names the folders of its resources. */
import { join } from 'node:path';
import { readGenerated, serviceOf } from '../../packages/service/index.js';
import { bedResource } from './beds/operations.js';
import { gardenResource } from './gardens/operations.js';
import type { contract } from './generated/gardens.js';
import document from './generated/gardens.json' with { type: 'json' };
import { supplierResource } from './suppliers/operations.js';

export const gardenService = serviceOf<contract>()({
  folder: import.meta.dirname,
  readContract: (folder) => readGenerated(join(folder, 'openapi', 'gardens.yaml'), document),
  resources: {
    gardens: gardenResource,
    beds: bedResource,
    suppliers: supplierResource,
  },
});
