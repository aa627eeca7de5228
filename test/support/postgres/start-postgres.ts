import { openTestCluster } from '../../../scripts/test/cluster.js';

const cluster = await openTestCluster();
await cluster.start();
