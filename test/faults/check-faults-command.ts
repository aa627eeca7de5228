/**
 * Runs `npm run check:faults`: tries the checker on one fault after the other, and prints whether it found
 * each.
 */
import { join } from 'node:path';
import { parseArguments, tableHead, tableRow } from '../../packages/contract-tools/base.js';
import { expectedOf } from '../../packages/contract-tools/faults.js';
import { borrowEmbedded } from '../../packages/embedded-postgres/index.js';
import { type Cleanup, contractFile, projectFolder, runWithCleanup } from '../../packages/kit/index.js';
import { explainServiceCommand, readContract } from '../../packages/service-tools/index.js';
import { faults, soundServers } from './all-faults.js';
import { BrokenServer } from './broken-server.js';

const help = `Usage: npm run check:faults [-- OPTIONS]

Runs the checker against servers with one fault at a time, and prints a table.

  --only WORDS     faults whose names contain WORDS
  --service NAME   the faults of one server: plants, gardens, wider plants, library, meters,
                   notes, repairs or exhibits
  --seed NUMBER    what generated cases follow from; by default 1
  --help           this text

Some faults are known to be missed, and the table says so. If one of them is found, its line in the tables
of faults is out of date.

Exit code: 0 if each fault was found that is not known to be missed, and nothing where there is none; 1 if not;
2 if it could not be tried.`;

type Options = ReturnType<typeof readOptions>;

function readOptions() {
  return parseArguments({
    options: {
      only: { type: 'string', default: '' },
      service: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  }).values;
}

async function tryFaults(server: BrokenServer, options: Options): Promise<number> {
  console.log(tableHead(['fault', 'operation', 'found', 'seconds', 'first line of the report']));
  const chosen = [...soundServers, ...faults].filter(
    ({ name, service = 'plants' }) =>
      name.includes(options.only) && (options.service === undefined || options.service === service),
  );
  let missed = 0;
  for (const fault of chosen) {
    const { report, found, harm } = await server.try(fault, Number(options.seed));
    const [first] = report.findings;
    const line = first ? `${first.operation}: ${first.rule}` : '';
    const seen = first === undefined ? 'nothing' : found ? 'found' : 'elsewhere';
    const expected = expectedOf(fault);
    const isRight = (expected === 'missed' ? seen !== 'found' : seen === expected) && harm.length === 0;
    for (const sentence of harm) console.error(`${fault.name}: ${sentence}`);
    if (!isRight) missed++;
    const shown = isRight && expected !== 'missed' ? seen : `${seen}, ${remarkOn(expected, isRight)}`;
    console.log(tableRow([fault.name, fault.operation, shown, report.seconds.toFixed(1), line]));
  }
  console.log(`\n${chosen.length - missed} of ${chosen.length} as expected.`);
  return missed === 0 ? 0 : 1;
}

function remarkOn(expected: string, isRight: boolean): string {
  if (expected !== 'missed') return `but expected: ${expected}`;
  return isRight ? 'as known' : 'though known to be missed: mend the table of faults';
}

async function main(cleanup: Cleanup): Promise<number> {
  const options = readOptions();
  const postgres = await borrowEmbedded(join(projectFolder, '.tap', 'faults'));
  cleanup.teardown(() => postgres.stop());
  const server = new BrokenServer(cleanup, await readContract(contractFile), postgres.url);
  return tryFaults(server, options);
}

await runWithCleanup({ help, main, explain: explainServiceCommand });
