import { createHash } from 'node:crypto';
import { ContractError } from '../document/contract-error.js';
import type { ContractDocument } from '../document/document.js';

/** Ignores comments and layout. */
export function digestOf({ document }: ContractDocument): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('base64url');
}

/**
 * Refuses types of another document: handlers would act, then fail to answer.
 *
 * @throws {ContractError}
 */
export function checkGenerated(contract: ContractDocument, digest: string): void {
  if (digestOf(contract) === digest) return;
  throw new ContractError(
    `${contract.place([])}: generated/ was made from another document: run "npm run codegen", and start again.`,
  );
}
