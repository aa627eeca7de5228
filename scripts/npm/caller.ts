/** Says how a person calls a command of this project. */
import { join } from 'node:path';
import { contractFile, projectFolder } from '../../src/project.js';
import type { Caller } from '../contract/kit/command.js';

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
