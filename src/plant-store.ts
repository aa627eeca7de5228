/** The plant store: its contract, and its resources. Only this file names the folders of resources. */
import { join } from 'node:path';
import type { contract } from '../generated/plants.js';
import document from '../generated/plants.json' with { type: 'json' };
import { readGenerated, serviceOf } from '../packages/service/index.js';
import { plantResource } from './plants/operations.js';

export const plantStore = serviceOf<contract>()({
  folder: import.meta.dirname,
  readContract: (folder) => readGenerated(join(folder, '..', 'openapi', 'plants.yaml'), document),
  resources: {
    plants: plantResource,
  },
});
