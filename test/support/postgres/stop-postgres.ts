import { testClusterFolder } from '../../../scripts/test/cluster.js';
import { borrowEmbedded } from '../../../src/embedded-postgres/embedded.js';

// Under `npm test`, PostgreSQL keeps running: that command stops it itself.
const postgres = await borrowEmbedded(testClusterFolder);
await postgres.stop();
