import { testClusterFolder } from '../../scripts/test/cluster.js';
import { borrowEmbedded } from '../../src/embedded-postgres/embedded.js';

// It goes on for `npm test`, which stops it itself.
const postgres = await borrowEmbedded(testClusterFolder);
await postgres.stop();
