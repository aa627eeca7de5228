/** The lint: the rules that a document keeps. It loads the linters of others, so it is a door of its own. */
export { consumerNames } from './src/lint/consumers.js';
export { type Linted, lineOf, lintContract } from './src/lint/contract-linters.js';
export { growthOf } from './src/lint/growth.js';
export { type LintCaller, lintCommand } from './src/lint/lint-command.js';
export { isSecurityRule, onePerFault, rankOfRule } from './src/lint/lint-faults.js';
export { type Problem, problemAt } from './src/lint/problem.js';
export { traps } from './src/lint/traps.js';
export { yamlReaders, yamlTraps } from './src/lint/yaml-traps.js';
