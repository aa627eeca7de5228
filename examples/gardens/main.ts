/** The program of the gardens. `npm run gardens` runs it without parameters, so that it serves. */
import { runProgram } from '../../packages/service/program.js';

await runProgram(async () => (await import('./garden-service.js')).gardenService, process.argv.slice(2), {
  embeddedPostgres: () => import('../../packages/embedded-postgres/index.js'),
});
