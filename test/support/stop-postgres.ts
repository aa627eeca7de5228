import { borrowEmbedded } from '../../src/embedded-postgres/embedded.js';
import { testClusterFolder } from './cluster.js';

// It goes on for `npm test`, which stops it itself.
const postgres = await borrowEmbedded(testClusterFolder);
await postgres.stop();
