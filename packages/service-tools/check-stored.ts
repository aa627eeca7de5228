/** Says whether all stored rows fit the contract. */
export { checkStored } from './src/stored/check-stored-command.js';
