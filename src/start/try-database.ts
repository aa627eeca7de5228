import pg from 'pg';
import { reasonFor } from '../errors/reason.js';
import { SettingsError } from '../settings.js';

const connectTimeoutMs = 10_000;

/** What to do, by the SQLSTATE of the failure. */
const advices: Readonly<Record<string, string>> = {
  '28000': 'Correct the user in DATABASE_URL, or let it in.',
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
};

/**
 * Connects once, and disconnects again.
 *
 * @throws {SettingsError} if it cannot connect. Its message does not have the password
 */
export async function tryDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // An "error" without a listener would end the process. The failure comes from `connect`, too.
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
      { cause: error },
    );
  } finally {
    await client.end();
  }
}
