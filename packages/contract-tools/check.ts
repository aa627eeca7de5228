/** The check: whether a running server keeps its document. */
export { brief, checkAnswer } from './src/check/answers/check-answer.js';
export { check } from './src/check/check.js';
export { checkCommand } from './src/check/check-command.js';
export { readCommandLine } from './src/check/command-line.js';
export { type Description, describe } from './src/check/document/description.js';
export type {
  CheckClient,
  CheckedAnswer,
  CheckedOperation,
  CheckedRequest,
  OwnCheck,
} from './src/check/document/own-checks.js';
export { allRules, readRules } from './src/check/document/rules.js';
export { type Request, written } from './src/check/requests/request.js';
export type { Report } from './src/check/verdict/report.js';
