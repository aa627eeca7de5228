/** Serves the gardens until a signal. `npm run gardens` runs this file. */
import { runService } from '../../packages/service/src/serve.js';
import { gardenService } from './garden-service.js';

await runService(gardenService);
