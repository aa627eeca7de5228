/**
 * The command `plant-store check`. It does the checks of a start one after the other, by the same code, and
 * goes on after a failure, so that an operator sees everything that is wrong before a deployment.
 *
 * It tries migrations that wait in a transaction that it rolls back. Only the rows that are stored decide
 * whether some migrations fail, so nothing less could know what the start will say.
 */
import { existsSync } from 'node:fs';
import { buildApp } from '../app.js';
import type { Contract } from '../contract/contract.js';
import { makeLog } from '../log/log.js';
import { Database } from '../postgres/database.js';
import { Readiness } from '../postgres/readiness.js';
import type { ServiceDefinition } from '../resources/service-of.js';
import { readSettings, type Settings } from '../settings.js';
import { explainFailure } from '../start/explain-failure.js';
import { prepareTables } from '../start/prepare-tables.js';
import { refuseArguments } from './arguments.js';
import { borrowPostgres } from './borrow-postgres.js';
import type { Program } from './program.js';

export const usage = (
  program: string,
) => `Says whether the service could start and serve, and changes nothing.

  ${program} check

  Checks the settings, the contract, the issuer of JWTs, and the database: its migrations, tables and rights.
  Migrations that wait are tried in a transaction, which is rolled back. Their statements may take 5 s: requests
  wait for the tables that they lock. Rights are checked only if no migration waits.
  Exit code 1: something is wrong.`;

/**
 * @returns the exit code
 * @throws {UsageError} if there are arguments
 */
export async function run(parameters: string[], { name, loadService, embedded }: Program): Promise<number> {
  refuseArguments(parameters);
  const service = await loadService();
  const report = new Report();
  const settings = await report.check(async () => [readSettings(), 'The settings are valid.']);
  if (settings === undefined) return 1;
  const contract = await report.check(async () => {
    const contract = await service.readContract();
    return [contract, `The contract ${contract.version} fits the code.`];
  });
  const { jwt } = settings;
  if (jwt !== undefined) {
    const { fetchKeys } = await import('../access/fetch-keys.js');
    await report.check(async () => {
      const { keys } = await fetchKeys(jwt);
      return [keys, `The issuer ${jwt.issuer} answers. Number of its keys: ${keys.length}.`];
    });
  }
  if (settings.database.kind === 'embedded' && !existsSync(settings.database.folder)) {
    console.log(`ok      There is no database in ${settings.database.folder} yet: the start makes it.`);
  } else {
    await checkDatabase(report, settings, contract, { name, service, embedded });
  }
  return report.isSound ? 0 : 1;
}

async function checkDatabase(
  report: Report,
  { breakingMigrations: breaking, proxies, corsOrigins }: Settings,
  contract: Contract | undefined,
  { name, service, embedded }: Pick<Program, 'name' | 'embedded'> & { readonly service: ServiceDefinition },
): Promise<void> {
  const postgres = await report.check(async () => [await borrowPostgres(embedded), 'PostgreSQL lets us in.']);
  if (postgres === undefined) return;
  const { url } = postgres;
  const database = new Database(url, () => {});
  const readiness = new Readiness(url, service.neededTables);
  const warn = (message: string) => console.log(`warning ${message}`);
  try {
    if (contract === undefined) return;
    const waiting = await report.check(async () => {
      const options = { breaking, warn, isRehearsal: true };
      const names = await prepareTables(service, contract, url, database, options);
      return [names.length, sentenceOn(names, name)];
    });
    if (waiting !== 0) return;
    await report.check(async () => {
      const log = makeLog('silent');
      const parts = { parts: service, contract, database, readiness, log, proxies, corsOrigins };
      const app = await buildApp(parts);
      return [await app.close(), 'The handlers answer the operations of the contract.'];
    });
    await report.check(async () => [
      await readiness.check(),
      'The account has the rights that requests need.',
    ]);
  } finally {
    await readiness.close();
    await database.close();
    await postgres.stop();
  }
}

function sentenceOn(waiting: readonly string[], program: string): string {
  if (waiting.length === 0) return 'All migrations are applied, and the tables fit the contract.';
  const names = waiting.join(', ');
  return `Migrations that wait: ${names}. They can be applied, and the tables will fit the contract. The start applies them, and so does "${program} migrate".`;
}

/** Prints a line for each check. */
class Report {
  isSound = true;

  /**
   * Runs a check, which returns a value for the next checks, and a sentence for the line.
   *
   * @returns undefined if the check failed
   */
  async check<Value>(work: () => Promise<readonly [Value, sentence: string]>): Promise<Value | undefined> {
    try {
      const [value, sentence] = await work();
      console.log(`ok      ${sentence}`);
      return value;
    } catch (error) {
      this.isSound = false;
      console.log(`not ok  ${explainFailure(error)}`);
      return undefined;
    }
  }
}
