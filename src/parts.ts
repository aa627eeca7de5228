/** The plant store. Only this file names the folders of resources. */
import { join } from 'node:path';
import { type contract, digest } from '../generated/plants.js';
import { plantResource } from './plants/operations.js';
import { contractFile, projectFolder } from './project.js';
import { partsOf } from './resources/parts.js';

export const plantParts = partsOf<contract>()({
  contractFile,
  digest,
  folder: join(projectFolder, 'src'),
  resources: {
    plants: plantResource,
  },
});
