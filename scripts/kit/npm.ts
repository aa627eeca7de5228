import { contractFile } from '../../src/project.js';
import type { Caller } from './command.js';

/** A command of this project's package.json, whose contract is openapi/plants.yaml. */
export function npmRun(script: string): Caller {
  return { command: `npm run ${script} --`, contract: contractFile };
}
