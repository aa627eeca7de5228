/**
 * `npm run check:stored`: does everything that is stored fit the contract? Of a schema that became narrower, the start
 * says nothing: it does not read rows. Ends with 1 if a row does not fit, and with 2 if that could not be tried.
 */
import pg from 'pg';
import { readContract } from '../src/contract/document.js';
import { storedSchemas } from '../src/parts.js';
import { borrowEmbedded } from '../src/postgres/embedded.js';
import { contractFile } from '../src/project.js';
import { readDatabaseSetting } from '../src/settings.js';
import { explainFailure } from '../src/start-failure.js';
import { readMisfits } from './stored/misfits.js';

async function main(): Promise<number> {
  const contract = await readContract(contractFile);
  const setting = readDatabaseSetting();
  const postgres =
    setting.kind === 'embedded'
      ? await borrowEmbedded(setting.folder)
      : { url: setting.url, stop: async () => {} };
  const client = new pg.Client({ connectionString: postgres.url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    let fits = true;
    for (const stored of storedSchemas) {
      const { rows, misfits } = await readMisfits(client, contract, stored);
      const place = contract.place(['components', 'schemas', stored.schema]);
      console.log(
        `${stored.table}: ${rows.toLocaleString('en')} rows, held against ${stored.schema} (${place})`,
      );
      for (const { sentence, rows, example } of misfits) {
        console.log(`  ${sentence}: ${rows.toLocaleString('en')} of them, such as ${example}`);
      }
      fits &&= misfits.length === 0;
    }
    console.log(fits ? 'All of them fit.' : 'Mend them by a migration, or take the change back.');
    return fits ? 0 : 1;
  } finally {
    await client.end();
    await postgres.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(explainFailure(error));
  process.exitCode = 2;
}
