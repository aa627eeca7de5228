import { explainCommand, UsageError } from '../../../contract-tools/base.js';
import { explainFailure } from '../../../service/layer.js';

/** @returns what a command of the service's own prints if it fails: as the start of the service says it */
export function explainServiceCommand(error: unknown): string {
  return error instanceof UsageError ? explainCommand(error) : explainFailure(error);
}
