import { contractFile } from '../../src/project.js';
import type { Caller } from './command.js';

/** The caller of a command of this project's package.json. Its contract is openapi/plants.yaml. */
export function npmRun(script: string): Caller {
  return { command: `npm run ${script} --`, contract: contractFile };
}
