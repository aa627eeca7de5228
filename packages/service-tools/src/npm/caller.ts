/** Says how a person calls a command of this project. */
import { join } from 'node:path';
import type { Caller } from '../../../contract-tools/base.js';
import { contractFile, projectFolder } from '../project.js';

/**
 * @param script the name of a command of this project's package.json
 * @returns its caller, whose contract is openapi/plants.yaml, with CHANGELOG.md
 */
export function npmRun(script: string): Caller {
  return {
    command: `npm run ${script} --`,
    contract: contractFile,
    changelog: join(projectFolder, 'CHANGELOG.md'),
  };
}
