/** The plant store. Only this file names the folders of resources. */
import { join } from 'node:path';
import type { contract } from '../generated/plants.js';
import { projectFolder } from '../packages/kit/src/project.js';
import { serviceOf } from '../packages/service/src/resources/service-of.js';
import { readOwnContract } from '../packages/service/src/start/own-contract.js';
import { plantResource } from './plants/operations.js';

export const plantStore = serviceOf<contract>()({
  readContract: readOwnContract,
  folder: join(projectFolder, 'src'),
  resources: {
    plants: plantResource,
  },
});
