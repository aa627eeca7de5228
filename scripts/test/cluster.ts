import { join } from 'node:path';
import { Cluster } from '../../src/embedded-postgres/cluster.js';
import { projectFolder } from '../../src/project.js';

export const testClusterFolder = join(projectFolder, '.tap', 'plants');

/** The PostgreSQL that the test files share, each with a database of its own. Real, and durable as in service. */
export function openTestCluster(): Promise<Cluster> {
  return Cluster.open(testClusterFolder);
}
