/** Servers that break their documents on purpose, to see which faults the check finds. */
export {
  expectedOf,
  type Fault,
  type Handler,
  type Next,
  noTokens,
  nothing,
  type ProxyAnswer,
  type ProxyRequest,
  type ServiceName,
  startFaultProxy,
  type World,
} from './faults/fault-proxy.js';
export { orchardsFile } from './faults/models/orchards/server.js';
export { exhibitFaults, repairFaults, soundPlainServers } from './faults/plain-faults.js';
export { type Served, servePlain, type Trial, tryFault } from './faults/trial.js';
