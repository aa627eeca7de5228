import { openTestCluster } from './cluster.js';

const cluster = await openTestCluster();
await cluster.start();
