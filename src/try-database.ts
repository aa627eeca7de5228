import pg from 'pg';
import { reasonFor } from './reason.js';
import { SettingsError } from './settings.js';

const connectTimeoutMs = 10_000;

/** What to do, by SQLSTATE. */
const advices: Readonly<Record<string, string>> = {
  '28000': 'Correct the user in DATABASE_URL, or let it in.',
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
};

/**
 * Connects to the database of DATABASE_URL once, before the slow part of a start.
 *
 * @throws {SettingsError} if that fails; the message names the URL without its secrets
 */
export async function tryDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // A broken connection also fails `connect`. Without a listener the event would end the process.
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
