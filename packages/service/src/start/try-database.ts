/**
 * Connects once to the database of DATABASE_URL. If that fails, it says why and what to correct, without the
 * password of the URL.
 */
import pg from 'pg';
import { reasonForPeople } from '../errors/reason.js';
import { defaultLimits } from '../postgres/database.js';
import { GuardedClient } from '../postgres/guarded-client.js';
import { SettingsError } from '../settings.js';

const connectTimeoutMs = 10_000;

/** The advice for a person, by the SQLSTATE of the failure. */
const advices: Readonly<Record<string, string>> = {
  // pgpool's own code. By default, it never notices that its only PostgreSQL is back.
  '08S01':
    "If pgpool is there, start PostgreSQL and then pgpool again. backend_flag0 = 'DISALLOW_TO_FAILOVER' prevents " +
    'this (docs/postgresql.md).',
  '28000': 'Correct the user in DATABASE_URL, or let it in.',
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
};

/** pgbouncer refuses these parameters, unless its configuration says otherwise. The reason names one. */
const timeLimits = { statement_timeout: defaultLimits.statement, lock_timeout: defaultLimits.lock };
const poolerAdvice =
  'If pgbouncer is there, give it "ignore_startup_parameters = statement_timeout, lock_timeout" and time limits of ' +
  'its own, as docs/operations/pgbouncer.ini does.';

/**
 * Connects once, and closes the connection again.
 *
 * @param url the URL of DATABASE_URL
 * @throws {SettingsError} if it cannot connect. Its cause is the error of the connection, and its message
 * does not have the password
 */
export async function tryDatabase(url: string): Promise<void> {
  const client = new GuardedClient({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    ...timeLimits,
  });
  // An "error" without a listener would end the process. The failure comes from `connect`, too.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    const reason = reasonForPeople(error);
    const isPooler = Object.keys(timeLimits).some((name) => reason.includes(name));
    throw new SettingsError(
      `Cannot connect to PostgreSQL at ${placeOf(url)}: ${reason}. ${isPooler ? poolerAdvice : adviceFor(error)}`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

/** @returns the host and the database of a DATABASE_URL. A message must not show its password. */
function placeOf(url: string): string {
  // node-postgres also takes the URL of a socket that has a user and no host.
  if (!URL.canParse(url)) return 'DATABASE_URL';
  const { host, pathname, searchParams } = new URL(url);
  return `host "${searchParams.get('host') ?? host}", database "${pathname.slice(1)}"`;
}

function adviceFor(error: unknown): string {
  const code = error instanceof pg.DatabaseError ? String(error.code) : '';
  return advices[code] ?? 'Start PostgreSQL there, or correct DATABASE_URL.';
}
