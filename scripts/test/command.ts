/**
 * Runs `npm test`, `npm run test:long` and `npm run test:all`. The order:
 *
 * 1. Begin the checks (checks.ts), which run beside the next two steps.
 * 2. Start the one PostgreSQL that all test files share (cluster.ts), unless only the tools are tested.
 * 3. Compile the project (compiled.ts).
 * 4. If the checks hold, run the test files (files.ts).
 * 5. Print the failures and the summary (report.ts).
 *
 * Whatever ends it, it stops its PostgreSQL and the processes that the tests have started.
 */
import { resolve } from 'node:path';
import { EmbeddedPostgresError } from '../../src/embedded-postgres/binaries.js';
import { startEmbedded } from '../../src/embedded-postgres/embedded.js';
import { parseArguments, runCommand, UsageError } from '../contract/kit/command.js';
import { pgbouncerVersion } from '../kit/pgbouncer.js';
import { explainServiceCommand } from '../npm/explain.js';
import { checksHold } from './checks.js';
import { makeTestClusters, removeMemoryCluster, testClusterFolder } from './cluster.js';
import { CompileError, compileProject } from './compiled.js';
import { minutes } from './durations.js';
import { type Extent, isOfTools, runTests, testFiles } from './files.js';
import { pgbouncerVariable } from './pooled.js';
import type { Report } from './report.js';

const kept: Record<Extent, string> = {
  service: 'the service keeps',
  long: 'the service and its tools keep',
  all: 'the service, its tools and its clients keep',
};

const help = `Usage: npm test [-- OPTIONS] [FILES]

Tests the service and the gates of a push. \`npm run test:long\` also runs what takes minutes, and
\`npm run test:all\` what needs other tools or hours. With FILES, only these files run. \`npm run test:tools\`
runs the tests of scripts/contract/, which need no PostgreSQL.

  --coverage            the tests must reach all of src/, which needs every tool
  --pgbouncer PROGRAM   the databases are behind pgbouncer (scripts/test/pooled.ts)
  --help                this text

Exit code: 0 if all tests hold; 1 if one does not; 2 if they could not run.`;

async function main(): Promise<boolean> {
  const begin = Date.now();
  const ending = new AbortController();
  // Nothing may be left running: neither PostgreSQL nor what the tests have started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort());
  const { values, positionals } = parseArguments({
    allowPositionals: true,
    options: {
      long: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      tools: { type: 'boolean', default: false },
      coverage: { type: 'boolean', default: false },
      pgbouncer: { type: 'string' },
    },
  });
  const extent: Extent = values.all ? 'all' : values.long ? 'long' : 'service';
  const chosen = positionals.length > 0;
  const { files, left } = chosen ? { files: positionals, left: [] } : testFiles(extent, values.tools);
  if (values.pgbouncer !== undefined && Number.isNaN(pgbouncerVersion(values.pgbouncer)))
    throw new UsageError(
      `There is no pgbouncer at ${values.pgbouncer}: name its program (Debian: pgbouncer).`,
    );
  const variables = {
    ...(values.pgbouncer !== undefined && { [pgbouncerVariable]: resolve(values.pgbouncer) }),
  };
  const isWhole = !chosen && !values.tools;
  const checking = isWhole ? checksHold(extent !== 'service', ending.signal) : Promise.resolve(true);
  const run = async (): Promise<Report | undefined> => {
    await compileProject(isWhole && !values.coverage);
    return (await checking) ? runTests(files, values.coverage, variables, ending.signal) : undefined;
  };
  const report = await (files.every(isOfTools) ? run() : withPostgres(run));
  if (report === undefined) return false;
  const holds = report.holds();
  console.log('');
  for (const line of report.summary()) console.log(line);
  if (holds && isWhole) console.log(`So ${kept[extent]} the contract.`);
  if (left.length > 0) console.log(`\`npm run test:all\` runs ${left.length} more files.`);
  console.log(`It took ${minutes(Date.now() - begin)}, on Node.js ${process.version}.`);
  return holds;
}

/**
 * Starts the PostgreSQL of the tests for as long as they run. They are compiled afterwards: if another run used
 * it already, its tests would be running from what it has compiled, and the start is refused.
 */
async function withPostgres<Result>(run: () => Promise<Result>): Promise<Result> {
  await makeTestClusters();
  const postgres = await startEmbedded(testClusterFolder, (error, message) => console.error(message, error));
  try {
    return await run();
  } finally {
    await postgres.stop();
    await removeMemoryCluster();
  }
}

await runCommand({
  help,
  main: async () => ((await main()) ? 0 : 1),
  explain: (error) => {
    if (error instanceof EmbeddedPostgresError) return `The tests have no PostgreSQL. ${error.message}`;
    return error instanceof CompileError ? error.message : explainServiceCommand(error);
  },
});
