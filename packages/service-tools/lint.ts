/** Lints the contract of a service: by its rules, and by what codegen and the start ask. */
export { lintOwnContract, ownLintCaller } from './src/lint/own-contract.js';
