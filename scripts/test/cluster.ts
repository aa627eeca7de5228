import { join } from 'node:path';
import { Cluster } from '../../src/embedded-postgres/cluster.js';
import { projectFolder } from '../../src/project.js';

export const testClusterFolder = join(projectFolder, '.tap', 'plants');

/** The durable PostgreSQL that all test files share; each has databases of its own. */
export function openTestCluster(): Promise<Cluster> {
  return Cluster.open(testClusterFolder);
}
