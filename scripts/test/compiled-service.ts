import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';

/** The folder where `npm test` compiles the service that `npm start` would run. */
export const compiledServiceFolder = join(projectFolder, '.tap', 'service');

/** The variable that tells the tests that folder. Without it, they run the sources. */
export const compiledServiceVariable = 'PLANT_STORE_COMPILED';
