/**
 * Knows which tests fail through pgbouncer. With `npm test -- --pgbouncer PROGRAM`, each database of a test
 * is behind a pgbouncer of its own; a failure listed here is then expected, and reported with its reason.
 */

/** This variable of the environment names the program of pgbouncer to the tests. */
export const pgbouncerVariable = 'TEST_PGBOUNCER';

/** Tests that cannot hold through a pooler in transaction mode. In the same files, all others must hold. */
const cannotHold: readonly { readonly because: string; readonly tests: readonly string[] }[] = [
  {
    because: 'pgbouncer logs in as one account: no account, password or right of a client is refused',
    tests: [
      'test/command-line/plant-store.test.ts > the service starts and serves with an account that may not create',
      'test/command-line/plant-store.test.ts > "plant-store check" says what is wrong, and exits 1',
      'test/postgres/migrations.test.ts > a role without the right to make tables',
      'test/postgres/migrations.test.ts > a second run of the migrations needs only the right to read',
      'test/postgres/readiness.test.ts > an account without a right is not ready',
      'test/settings.test.ts > an unusable database ends the start',
      'test/start/wait-for-database.test.ts > what time does not mend is said at once',
    ],
  },
  {
    because: 'pgbouncer keeps sessions, which a setting of the database does not change',
    tests: [
      'test/postgres/leader.test.ts > a server that says that it is read-only loses all connections',
      'test/postgres/readiness.test.ts > a database that could not serve is not ready',
      'test/store/column-types.test.ts > a database that rounds floating-point numbers ends the start',
    ],
  },
  {
    because: 'plans and the age of a connection to PostgreSQL are those of sessions that clients share',
    tests: [
      'test/store/statement-plans.test.ts > PostgreSQL keeps the plans of small batches, too',
      'test/store/statement-plans.test.ts > connections are replaced in time',
    ],
  },
  {
    because:
      'a lost session is seen by pgbouncer first, which waits for server_login_retry and has words of its own',
    tests: [
      'test/resources/overload.test.ts > plants: if the database is gone, each operation answers 503',
      'test/resources/overload.test.ts > gardens, beds, suppliers: if the database is gone, each operation answers 503',
      'test/postgres/database-unavailable.test.ts > an idle connection that breaks is reported and replaced',
      'test/postgres/outage.test.ts > a loss of the database is told once',
      'test/postgres/outage.test.ts > the log of the process has both lines',
    ],
  },
  {
    because:
      'lock_timeout of a session, the limit of connections, and missing databases are pgbouncer’s matter',
    tests: [
      'test/postgres/sqlstate.test.ts > SQLSTATEs of a real PostgreSQL',
      // What the first one left under way.
      'test/postgres/sqlstate.test.ts > Connection terminated unexpectedly',
      'test/postgres/sqlstate.test.ts > error thrown while awaiting Promise',
    ],
  },
];

/**
 * Looks up a failure among those that a pooler causes.
 *
 * @param failure begins with the file and the title of the test
 * @returns why it cannot hold through a pooler; undefined if it could
 */
export function whyRedThroughPooler(failure: string): string | undefined {
  return cannotHold.find(({ tests }) => tests.some((test) => failure.startsWith(test)))?.because;
}
