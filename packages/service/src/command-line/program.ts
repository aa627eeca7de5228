/** What the commands of a program know of it. */
import type { Project } from '../project.js';
import type { ServiceDefinition } from '../resources/service-of.js';
import type { LoadEmbedded } from '../start/postgres-in-use.js';

export interface Program extends Project {
  /** Loads the service. It takes a while, and `--version` and `--help` do without. */
  readonly loadService: () => Promise<ServiceDefinition>;
  /** Loads the PostgreSQL that it brings along; undefined if it has none. */
  readonly embedded: LoadEmbedded | undefined;
}
