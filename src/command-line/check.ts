/**
 * The command `plant-store check`. It does the checks of a start one after the other, and goes on after a
 * failure, so that an operator sees everything that is wrong before a deployment.
 */
import { existsSync } from 'node:fs';
import type { Contract } from '../contract/document/document.js';
import { plantParts } from '../parts.js';
import { Database } from '../postgres/database.js';
import { newMigrations, requireRightToMigrate } from '../postgres/migrations.js';
import { Readiness } from '../postgres/readiness.js';
import { readSettings } from '../settings.js';
import { explainFailure } from '../start/explain-failure.js';
import { checkTables } from '../store/start/check-tables.js';
import { refuseArguments } from './arguments.js';
import { borrowPostgres } from './borrow-postgres.js';

export const usage = `Says whether the service could start and serve, and changes nothing.

  plant-store check

  Checks the settings, the contract, the issuer of JWTs, and the database: its migrations, tables and rights. It names
  migrations that wait. The start applies them, so tables and rights are checked only if none waits.
  Exit code 1: something is wrong.`;

/**
 * @returns the exit code
 * @throws {UsageError} if there are arguments
 */
export async function run(parameters: string[]): Promise<number> {
  refuseArguments(parameters);
  const report = new Report();
  const settings = await report.check(async () => [readSettings(), 'The settings are valid.']);
  if (settings === undefined) return 1;
  const contract = await report.check(async () => {
    const contract = await plantParts.readContract();
    return [contract, `The contract ${contract.document.info.version} fits the code.`];
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
    await checkDatabase(report, contract);
  }
  return report.isSound ? 0 : 1;
}

async function checkDatabase(report: Report, contract: Contract | undefined): Promise<void> {
  const postgres = await report.check(async () => [await borrowPostgres(), 'PostgreSQL lets us in.']);
  if (postgres === undefined) return;
  const database = new Database(postgres.url, () => {});
  const readiness = new Readiness(postgres.url, plantParts.neededTables);
  try {
    const isMigrated = await report.check(async () => {
      const waiting = await newMigrations(database, plantParts.migrationFolders);
      if (waiting.length === 0) return [true, 'All migrations are applied.'];
      await requireRightToMigrate(database);
      return [
        false,
        `Migrations that wait: ${waiting.join(', ')}. The start applies them, and so does "plant-store migrate".`,
      ];
    });
    if (isMigrated !== true) return;
    if (contract !== undefined) {
      await report.check(async () => [
        await checkTables(contract, database, plantParts.tables),
        'The tables fit the contract.',
      ]);
    }
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
