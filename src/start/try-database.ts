import pg from 'pg';
import { reasonFor } from '../errors/reason.js';
import { SettingsError } from '../settings.js';

const connectTimeoutMs = 10_000;

/** By SQLSTATE. */
const advices: Readonly<Record<string, string>> = {
  '28000': 'Correct the user in DATABASE_URL, or let it in.',
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
};

/** @throws {SettingsError} if it cannot connect; the message has no secrets */
export async function tryDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // Without a listener, "error" would end the process.
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
