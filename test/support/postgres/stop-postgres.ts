/** Stops the PostgreSQL that all test files share. `tap run` runs this file last, because .taprc names it. */
import { testClusterFolder } from '../../../scripts/test/cluster.js';
import { borrowEmbedded } from '../../../src/embedded-postgres/embedded.js';

// Under `npm test`, PostgreSQL keeps running: that command stops it itself.
const postgres = await borrowEmbedded(testClusterFolder);
await postgres.stop();
