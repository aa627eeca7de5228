import pg from 'pg';
import { reasonFor } from './reason.js';
import { SettingsError } from './settings.js';

/** Milliseconds. */
const longestConnect = 10_000;

/** What to do, by SQLSTATE. */
const advices: Readonly<Record<string, string>> = {
  '28000': 'Correct the user in DATABASE_URL, or let it in.',
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
};

/**
 * Finds out, before the slow part of a start, whether the database of DATABASE_URL takes connections.
 *
 * @throws {SettingsError} if it does not; the message names all of the URL that is not secret
 */
export async function tryDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: longestConnect });
  // Whatever breaks the connection fails `connect`, too. Without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    const { host, port, database } = client;
    const code = error instanceof pg.DatabaseError ? String(error.code) : '';
    throw new SettingsError(
      `Cannot connect to PostgreSQL at host "${host}", port "${port}", database "${database}": ${reasonFor(error)}. ${
        advices[code] ?? 'Start PostgreSQL there, or correct DATABASE_URL.'
      }`,
    );
  } finally {
    await client.end();
  }
}
