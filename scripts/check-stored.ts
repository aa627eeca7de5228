/** `npm run check:stored`: checks that all stored rows fit openapi/plants.yaml. */
import { checkStored } from '../packages/service-tools/check-stored.js';
import { plantStore } from '../src/plant-store.js';

await checkStored(plantStore, () => import('../packages/embedded-postgres/index.js'));
