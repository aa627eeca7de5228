/** The plant store. Only this file names the folders of resources. */
import { join } from 'node:path';
import type { contract } from '../generated/plants.js';
import { plantResource } from './plants/operations.js';
import { projectFolder } from './project.js';
import { partsOf } from './resources/parts.js';
import { readOwnContract } from './start/own-contract.js';

export const plantParts = partsOf<contract>()({
  readContract: readOwnContract,
  folder: join(projectFolder, 'src'),
  resources: {
    plants: plantResource,
  },
});
