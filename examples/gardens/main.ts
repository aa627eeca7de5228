/** Serves the gardens until a signal. `npm run gardens` runs this file. */
import { runService } from '../../src/service.js';
import { gardenParts } from './parts.js';

await runService(gardenParts);
