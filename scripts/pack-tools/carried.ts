import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectFolder } from '../../packages/kit/index.js';

/**
 * Stands in for `import.meta.resolve` in the tools' programs: the package carries the two files of
 * swagger-ui-dist that the mock's docs page needs. The whole package has 12 MB, and a dependency whose
 * install script reports to a third party.
 */
export function resolveCarried(specifier: string): string {
  return pathToFileURL(join(projectFolder, specifier)).href;
}
