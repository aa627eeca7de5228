import { createHash } from 'node:crypto';
import { ContractError } from './contract-error.js';
import type { ContractDocument } from './document.js';

/** Tells one document from another, whatever comments and layout the files have. */
export function digestOf({ document }: ContractDocument): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('base64url');
}

/**
 * Handlers are compiled against generated types: with those of another document, they would carry out requests and then
 * fail to answer them.
 *
 * @param digest of the document that the types were made from
 * @throws {ContractError} if that is another one
 */
export function checkGenerated(contract: ContractDocument, digest: string): void {
  if (digestOf(contract) === digest) return;
  throw new ContractError(
    `${contract.place([])}: generated/ was made from another document: run "npm run codegen", and start again.`,
  );
}
