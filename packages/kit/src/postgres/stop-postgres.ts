/** Stops the PostgreSQL that all test files share. tap runs this file last, because .taprc names it. */
import { borrowEmbedded } from '../../../embedded-postgres/index.js';
import { removeMemoryCluster, testClusterFolder } from './shared-cluster.js';

const postgres = await borrowEmbedded(testClusterFolder);
await postgres.stop();
await removeMemoryCluster();
