/**
 * Starts the PostgreSQL that all test files share. `tap run` runs this file first, because .taprc names it.
 */
import { openTestCluster } from '../../../scripts/test/cluster.js';

const cluster = await openTestCluster();
await cluster.start();
