import { ContractError } from '../document/contract-error.js';
import { digestOf } from '../document/digest.js';
import { type Contract, readContract } from '../document/document.js';
import { checkContract } from './check.js';
import type { FailurePolicy } from './statuses.js';

/**
 * Checks only a document that `npm run codegen` has not checked, which takes a third of the start. Refuses it
 * in any case: handlers of other types would act, then fail to answer.
 *
 * @param digest of the document that generated/ was made from
 * @throws {ContractError}
 */
export async function readGenerated(file: string, digest: string, policy: FailurePolicy): Promise<Contract> {
  const contract = await readContract(file, digest);
  if (digestOf(contract.document) === digest) return contract;
  checkContract(contract, policy);
  throw new ContractError(
    `${contract.place([])}: generated/ was made from another document: run "npm run codegen", and start again.`,
  );
}
