/**
 * Runs `npm run check:faults`: tries the checker on one fault after the other, and prints whether it found
 * each.
 */
import { join } from 'node:path';
import { readContract } from '../../../src/contract/document/document.js';
import { borrowEmbedded } from '../../../src/embedded-postgres/embedded.js';
import { contractFile, projectFolder } from '../../../src/project.js';
import { parseArguments, runCommand } from '../../kit/command.js';
import { tableHead, tableRow } from '../../kit/report/table.js';
import { faults } from './all-faults.js';
import { BrokenServer } from './broken-server.js';
import { nothing } from './fault-proxy.js';

const help = `Usage: npm run check:faults [-- OPTIONS]

Runs the checker against servers with one fault at a time, and prints a table.

  --only WORDS     faults whose names contain WORDS
  --service NAME   the faults of one server: plants, gardens, wider plants, library, meters or notes
  --seed NUMBER    what generated cases follow from; by default 1
  --help           this text

Exit code: 0 if each fault was found, and nothing where there is none; 1 if not; 2 if it could not be tried.`;

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
  const chosen = [nothing, ...faults].filter(
    ({ name, service = 'plants' }) =>
      name.includes(options.only) && (options.service === undefined || options.service === service),
  );
  let missed = 0;
  for (const fault of chosen) {
    const { report, found } = await server.try(fault, Number(options.seed));
    const [first] = report.findings;
    const line = first ? `${first.operation}: ${first.rule}` : '';
    const isRight = fault === nothing ? first === undefined : found;
    if (!isRight) missed++;
    const seen = first === undefined ? 'nothing' : found ? 'found' : 'elsewhere';
    console.log(tableRow([fault.name, fault.operation, seen, report.seconds.toFixed(1), line]));
  }
  console.log(`\n${chosen.length - missed} of ${chosen.length} as expected.`);
  return missed === 0 ? 0 : 1;
}

async function run(): Promise<number> {
  const options = readOptions();
  const ends: (() => unknown)[] = [];
  const postgres = await borrowEmbedded(join(projectFolder, '.tap', 'faults'));
  try {
    const teardown = (end: () => unknown): void => void ends.push(end);
    const server = new BrokenServer({ teardown }, await readContract(contractFile), postgres.url);
    return await tryFaults(server, options);
  } finally {
    for (const end of ends.reverse()) await end();
    await postgres.stop();
  }
}

await runCommand({ help, main: run });
