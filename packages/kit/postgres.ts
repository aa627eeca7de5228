/** The PostgreSQL servers of tests: the one that all files share, Debian's, Patroni, pgpool, TLS. */
export {
  createDebianPostgres,
  debianEnvironment,
  debianVersion,
  runAsAccount,
  withoutDebianPostgres,
} from './src/postgres/debian-postgres.js';
export { listen } from './src/postgres/listen.js';
export { lockPlants, statementsThatWait, untilLocked, waitingStatement } from './src/postgres/lock.js';
export {
  isLeader,
  type Member,
  PatroniCluster,
  postmasterOf,
  withoutPatroni,
} from './src/postgres/patroni.js';
export { pgpoolProgram, startPgpool } from './src/postgres/pgpool.js';
export { copyUnusedCluster, openTestCluster } from './src/postgres/shared-cluster.js';
export { listenWithTls, urlWithTls } from './src/postgres/tls.js';
