/** What tests share: programs beside a test, calls of a server, `until`, and the commands of pages. */
export { type Answer, type CallOptions, call } from './src/testing/call.js';
export { makeCertificate, withoutOpenssl } from './src/testing/certificate.js';
export { clientStory, readSteps } from './src/testing/client-story.js';
export {
  type Ended,
  nodeWithoutTap,
  programWithoutTap,
  runNode,
  runTypeScript,
} from './src/testing/command.js';
export { docsBlock } from './src/testing/docs-block.js';
export { commandsForOperators, follow } from './src/testing/docs-commands.js';
export { endOf } from './src/testing/end-of.js';
export { inProcess } from './src/testing/in-process.js';
export { missing, notRoot } from './src/testing/missing.js';
export {
  cleanEnvironment,
  makeDataFolder,
  makeFolder,
  type Program,
  type ProgramOptions,
  postgresProcesses,
  startProgram,
  until,
} from './src/testing/process.js';
export { restartInTurn } from './src/testing/restarts.js';
export {
  issueToken,
  killPostgres,
  launchServer,
  ready,
  type Server,
  spawnServer,
} from './src/testing/server.js';
