/** `npm run gardens` */
import { runService } from '../../src/service.js';
import { gardenParts } from './parts.js';

await runService(gardenParts);
