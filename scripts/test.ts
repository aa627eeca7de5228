/**
 * `npm test` proves the service; `npm run test:long` adds its tools, and `npm run test:all` adds the evidence behind the
 * tables in docs/. Files after `--` are run alone.
 * `--coverage` asks that the tests together reach all of src/, which they do if every tool is installed.
 */
import { parseArgs } from 'node:util';
import { EmbeddedPostgresError } from '../src/embedded-postgres/binaries.js';
import { startEmbedded } from '../src/embedded-postgres/embedded.js';
import { testClusterFolder } from '../test/support/cluster.js';
import { compiledService } from '../test/support/command.js';
import { checksHold, compiled } from './test/checks.js';
import { minutes } from './test/durations.js';
import { type Extent, runTests, testFiles } from './test/files.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
  },
});

const kept: Record<Extent, string> = {
  service: 'the service keeps',
  long: 'the service and its tools keep',
  all: 'the service, its tools and its clients keep',
};
const extent: Extent = values.all ? 'all' : values.long ? 'long' : 'service';

async function main(): Promise<boolean> {
  const begin = Date.now();
  const chosen = positionals.length > 0;
  const { files, left } = chosen ? { files: positionals, left: [] } : testFiles(extent);
  const variables = chosen ? {} : { [compiledService]: compiled };
  const starting = startEmbedded(testClusterFolder, (error, message) => console.error(message, error));
  const [postgres, sound] = await Promise.all([starting, chosen || checksHold(extent !== 'service')]);
  const running = sound ? runTests(files, values.coverage, variables) : Promise.resolve(undefined);
  const report = await running.finally(() => postgres.stop());
  if (report === undefined) return false;
  const holds = report.holds();
  console.log('');
  for (const line of report.summary()) console.log(line);
  if (holds && !chosen) console.log(`So ${kept[extent]} the contract.`);
  if (left.length > 0) console.log(`\`npm run test:all\` has ${left.length} more files.`);
  console.log(`It took ${minutes(Date.now() - begin)}, on Node.js ${process.version}.`);
  return holds;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  if (!(error instanceof EmbeddedPostgresError)) throw error;
  console.error(`The tests have no PostgreSQL. ${error.message}`);
  process.exitCode = 1;
}
