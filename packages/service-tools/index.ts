/** Reads the contract that a service is to serve, and says what the service could not keep. */
export { failurePolicy } from './src/codegen/failure-policy.js';
export { readContract, readContractText, type WrittenContract } from './src/codegen/read-contract.js';
export { checkContract } from './src/codegen/servable.js';
export { npmRun } from './src/npm/caller.js';
export { explainServiceCommand } from './src/npm/explain.js';
