/**
 * Runs `npm run check:stored`: checks that all stored rows fit the contract. The service's start does not
 * read rows, so it cannot see that a schema became narrower than what is stored.
 */

import pg from 'pg';
import { runCommand } from '../../../contract-tools/base.js';
import { visible } from '../../../exact-json/index.js';
import {
  borrowPostgres,
  type Database,
  DatabaseUnavailableError,
  hiddenValues,
  isUnavailable,
  type LoadEmbedded,
  MigrationError,
  reasonOf,
  type ServiceDefinition,
} from '../../../service/layer.js';
import { failurePolicy } from '../codegen/failure-policy.js';
import { readContract } from '../codegen/read-contract.js';
import { checkContract } from '../codegen/servable.js';
import { explainServiceCommand } from '../npm/explain.js';
import { contractFile } from '../project.js';
import { readViolations } from './violations.js';

const help = `Usage: npm run check:stored

Checks that all stored rows of DATABASE_URL, or else of the embedded PostgreSQL, fit openapi/plants.yaml.

  --help   this text

Exit code: 0 if all of them fit; 1 if one does not, or a column with values belongs to no member; 2 if the
rows could not be read.`;

async function main(
  service: ServiceDefinition,
  embedded: LoadEmbedded,
  interrupted: AbortSignal,
): Promise<number> {
  const contract = await readContract(contractFile);
  checkContract(contract, failurePolicy);
  const postgres = await borrowPostgres(embedded);
  const client = new pg.Client({
    connectionString: postgres.url,
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  });
  // A broken connection also fails the statement. Without a listener, this event would end the process.
  client.on('error', () => {});
  const database: Pick<Database, 'query'> = {
    query: ({ text, values = [] }) =>
      client.query(text, [...values]).catch((error) => {
        throw isUnavailable(error) ? new DatabaseUnavailableError(error) : error;
      }),
  };
  try {
    await client.connect().catch((error) => {
      throw new DatabaseUnavailableError(error);
    });
    let fits = true;
    for (const stored of service.tables) {
      const { rows, violations } = await readViolations(client, contract, stored, interrupted).catch(
        (error) => {
          throw explained(error, stored.table);
        },
      );
      const place = contract.place(['components', 'schemas', stored.schema]);
      console.log(
        `${stored.table}: ${rows.toLocaleString('en')} rows, checked against ${stored.schema} (${place})`,
      );
      for (const { sentence, rows, example } of violations) {
        console.log(visible(`  ${sentence}: ${rows.toLocaleString('en')} of them, for example ${example}`));
      }
      fits &&= violations.length === 0;
    }
    console.log(fits ? 'All of them fit.' : 'Mend them with a migration, or undo the change of the YAML.');
    const hidden = await hiddenValues(contract, database, service.tables);
    for (const sentence of hidden) console.log(sentence);
    return fits && hidden.length === 0 ? 0 : 1;
  } finally {
    await client.end();
    await postgres.stop();
  }
}

/**
 * Says what to do if a table cannot be read. The check itself applies no migration, because it is also for
 * the time before one.
 */
function explained(error: unknown, table: string): unknown {
  if (isUnavailable(error)) return new DatabaseUnavailableError(error);
  if (!(error instanceof pg.DatabaseError)) return error;
  const advice = 'start the service once to apply the migrations, and try again';
  return new MigrationError(`The table ${table} cannot be read (${reasonOf(error)}): ${advice}.`, {
    cause: error,
  });
}

/**
 * Runs the command as this process.
 *
 * @param embedded loads the PostgreSQL to use if DATABASE_URL is not set
 */
export async function checkStored(service: ServiceDefinition, embedded: LoadEmbedded): Promise<void> {
  // Without these listeners, a Ctrl-C would leave the embedded PostgreSQL running.
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interruption.abort());
  }
  await runCommand({
    help,
    main: () => main(service, embedded, interruption.signal),
    explain: (error) =>
      interruption.signal.aborted ? 'Interrupted: not every row was read.' : explainServiceCommand(error),
  });
}
