/** Says how a person calls a command of this project. */
import { contractFile } from '../src/project.js';
import type { Caller } from './contract/kit/command.js';

/**
 * @param script the name of a command of this project's package.json
 * @returns its caller, whose contract is openapi/plants.yaml
 */
export function npmRun(script: string): Caller {
  return { command: `npm run ${script} --`, contract: contractFile };
}
