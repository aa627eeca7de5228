/** `npm run gardens` */
import { runService } from '../../src/service.js';
import { gardenParts } from './parts.js';

const help = `Usage: npm run gardens

Serves examples/gardens from the sources, on the settings of \`npm start\` (docs/settings.md).

Exit code: 0 if a signal ended it; 1 if it could not start.`;

if (process.argv.includes('--help')) console.log(help);
else await runService(gardenParts);
