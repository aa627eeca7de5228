import { borrowEmbedded } from '../../src/embedded-postgres/embedded.js';
import { testClusterFolder } from './cluster.js';

// Under `npm test`, PostgreSQL keeps running: that command stops it itself.
const postgres = await borrowEmbedded(testClusterFolder);
await postgres.stop();
