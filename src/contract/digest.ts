import { createHash } from 'node:crypto';
import { ContractError } from './contract-error.js';
import type { ContractDocument } from './document.js';

/** A digest of the document without its comments and layout. */
export function digestOf({ document }: ContractDocument): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('base64url');
}

/**
 * With types of another document, handlers would carry out requests and then fail to answer them.
 *
 * @param digest of the document from which the types were generated
 * @throws {ContractError} if that is another document
 */
export function checkGenerated(contract: ContractDocument, digest: string): void {
  if (digestOf(contract) === digest) return;
  throw new ContractError(
    `${contract.place([])}: generated/ was made from another document: run "npm run codegen", and start again.`,
  );
}
