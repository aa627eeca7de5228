/** The comparison: what changed between two documents, and what of it breaks consumers. */

export { NotInGitError } from './src/base/repository.js';
export { changelogFaults } from './src/diff/changelog.js';
export { compareContracts } from './src/diff/compare.js';
export { diffContract } from './src/diff/diff-command.js';
export { textAt } from './src/diff/git.js';
export { operationsOf, type ToldChange, toldOnce } from './src/diff/told-once.js';
export { versionFault } from './src/diff/version.js';
