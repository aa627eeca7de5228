/** Starts the PostgreSQL that all test files share. tap runs this file first, because .taprc names it. */
import { makeTestClusters, openTestCluster } from './shared-cluster.js';

await makeTestClusters();
const cluster = await openTestCluster();
await cluster.start();
