import pg from 'pg';
import { reasonFor } from '../errors/reason.js';
import { defaultLimits } from '../postgres/database.js';
import { SettingsError } from '../settings.js';

const connectTimeoutMs = 10_000;

/** By SQLSTATE. */
const advices: Readonly<Record<string, string>> = {
  '28000': 'Correct the user in DATABASE_URL, or let it in.',
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
};

/** The parameter that pgbouncer refuses, unless its configuration says otherwise. The reason names it. */
const timeoutParameter = 'statement_timeout';
const poolerAdvice =
  'If pgbouncer is there, give it "ignore_startup_parameters = statement_timeout" and a time limit of its own, as ' +
  'docs/operations/pgbouncer.ini does.';

/** @throws {SettingsError} if it cannot connect; the message has no secrets */
export async function tryDatabase(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    [timeoutParameter]: defaultLimits.statement,
  });
  // Without a listener, "error" would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    const { host, port, database } = client;
    const reason = reasonFor(error);
    throw new SettingsError(
      `Cannot connect to PostgreSQL at host "${host}", port "${port}", database "${database}": ${reason}. ${
        reason.includes(timeoutParameter) ? poolerAdvice : adviceFor(error)
      }`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

function adviceFor(error: unknown): string {
  const code = error instanceof pg.DatabaseError ? String(error.code) : '';
  return advices[code] ?? 'Start PostgreSQL there, or correct DATABASE_URL.';
}
