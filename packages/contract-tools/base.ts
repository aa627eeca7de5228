/**
 * What commands are made of: arguments and exit codes, what has to be closed in the end, HTTP to the byte, random numbers
 * from a seed, tables and progress. It loads no other part of the tools.
 */
export { canonical } from './src/base/canonical.js';
export { type Answer, headerValues } from './src/base/http/answer.js';
export { Connection, type Request, UnreachableError } from './src/base/http/connection.js';
export { Progress } from './src/base/progress.js';
export { Random } from './src/base/random.js';
export { table, tableHead, tableRow } from './src/base/report/table.js';
export {
  type Caller,
  type Command,
  contractOf,
  exitCodeOf,
  explainCommand,
  parseArguments,
  refuseMore,
  runCommand,
  UsageError,
} from './src/base/run-command.js';
export type { Scope } from './src/base/scope.js';
export { portOf, serveIn } from './src/base/serve.js';
