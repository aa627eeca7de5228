/**
 * Runs `npm run bench`: measures the service beside its peers and its limits, on one PostgreSQL, as ratios.
 * docs/benchmarks.md says what the figures mean.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { explainCommand, Progress, parseArguments, UsageError } from '../../../contract-tools/base.js';
import { type Cleanup, ProgramError, projectFolder, runWithCleanup } from '../../../kit/index.js';
import { buildBefore, exceptionsAgainst } from './build-before.js';
import { before, contestantNames, service } from './contestants.js';
import { goals, goalTable, valuesOf } from './goals.js';
import { compareWithBefore, guardTable, rule } from './guard.js';
import { measureLists } from './lists.js';
import { measureOverload } from './overload.js';
import { kinds, measurePeers } from './peers.js';
import { picture } from './picture.js';
import { figureTable } from './report.js';
import type { Measured } from './rounds.js';
import { type Options, openSession, type Session } from './session.js';
import { measureStart } from './start.js';
import { FailedLoadError } from './wrk.js';

interface Mode {
  readonly name: string;
  /** How often everything is measured. */
  readonly rounds: number;
  /** How long each load lasts. */
  readonly seconds: number;
  measure(session: Session): Promise<Measured[]>;
}

const peers: Mode = {
  name: 'peers',
  rounds: 3,
  seconds: 1,
  measure: (session) => measurePeers(session),
};
const modes: readonly Mode[] = [
  peers,
  { name: 'lists', rounds: 3, seconds: 1, measure: measureLists },
  { name: 'start', rounds: 5, seconds: 1, measure: measureStart },
  { name: 'overload', rounds: 3, seconds: 5, measure: measureOverload },
];

/** What the guard measures is half a second ten times, in turn with the build before (guard.ts). */
const guard = { name: 'guard', rounds: 10, seconds: 0.5 };

const help = `Usage: npm run bench -- [--peers | --lists | --start | --overload | --guard] [OPTIONS]

Compares the service with its peers and its limits. Without a mode, all but --guard: half an hour. Needs wrk;
what else is missing on the machine is named.

  --peers               from one connection to a thousand, beside Fastify and Go by hand
  --lists               a million plants beside psql's COPY
  --start               time to the first answer, and memory at rest
  --overload            a quiet owner beside a greedy one, and ten times the load that the database can do
  --guard               does a request cost more than with the build before? Builds the commit that
                        packages/lab/src/bench/build-before.json names, and takes 3 minutes
  --against FOLDER      the build of another checkout takes part, too: two versions of the code in turn;
                        with --guard, this is the build before
  --only NAME           only this contestant; may be given several times:
                        ${contestantNames.join(', ')}
  --connections NUMBER  of --peers; may be given several times; by default 1 to 1,000
  --rounds NUMBER       how often everything is measured
  --seconds NUMBER      how long each load lasts
  --plants NUMBER       the length of the list of --lists; by default 1000000
  --help                this text

Prints the figures and the goals, and writes them and a picture of --peers to .data/bench/.

Exit code: 0; 1 if --guard finds a request that costs too much; 2 if it could not measure.`;

const output = join(projectFolder, '.data', 'bench');

async function main(cleanup: Cleanup): Promise<number> {
  const task = readTask();
  return task.asksGuard ? await guardAgainst(cleanup, task) : await measure(cleanup, task);
}

async function measure(cleanup: Cleanup, { asked, optionsFor, names, against }: Task): Promise<number> {
  const session = await openSession(cleanup, new Progress(), { options: optionsFor(peers), names, against });
  const measured: Measured[] = [];
  for (const mode of asked) measured.push(...(await mode.measure({ ...session, options: optionsFor(mode) })));
  await report(session, measured, `### Goals\n\n${goalTable(valuesOf(measured, goals))}`);
  const inPicture = measured.filter(({ name }) => kinds.some((kind) => kind.name === name));
  if (inPicture.length === kinds.length) await write('requests.svg', picture(inPicture));
  return 0;
}

async function guardAgainst(cleanup: Cleanup, task: Task): Promise<number> {
  const progress = new Progress();
  const against = task.against ?? (await buildBefore(cleanup, progress));
  const exceptions = await exceptionsAgainst(against);
  const session = await openSession(cleanup, progress, {
    options: task.optionsFor(guard),
    names: [service.name, before],
    against,
    countsStatements: true,
  });
  const { measured, comparisons } = await compareWithBefore(session);
  await report(session, measured, `### Guard\n\n${guardTable(comparisons, exceptions)}`);
  return comparisons.some((one) => rule(one, exceptions) === 'costs too much') ? 1 : 0;
}

/** Prints and writes the conditions, the tables of the figures, and a conclusion. */
async function report(
  { missing, postgres }: Session,
  measured: readonly Measured[],
  conclusion: string,
): Promise<void> {
  const conditions = [
    describeMachine(),
    `PostgreSQL ${postgres.version}, embedded, with its default settings.`,
    ...missing.map((sentence) => `Missing: ${sentence}`),
  ];
  const tables = measured.filter(({ series }) => series.length > 0).map(figureTable);
  const page = [conditions.join('\n'), ...tables, conclusion].join('\n\n');
  await write('results.md', `${page}\n`);
  const words = /(?<=\| )(met|holds|costs too much)(?= \|$)/gm;
  console.log(page.replaceAll(words, (word) => styleText(word === 'costs too much' ? 'red' : 'green', word)));
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(output, { recursive: true });
  await writeFile(join(output, name), text);
}

function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() || process.arch;
  const memory = Math.round(totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}: ${availableParallelism()} cores (${processor}), ${memory} GiB, ${process.platform} ${release()}, Node.js ${process.version}.`;
}

interface Task {
  readonly asksGuard: boolean;
  readonly asked: readonly Mode[];
  readonly names: readonly string[];
  readonly against: string | undefined;
  optionsFor(mode: Omit<Mode, 'measure'>): Options;
}

function readTask(): Task {
  const { values } = parseArguments({
    options: {
      peers: { type: 'boolean' },
      lists: { type: 'boolean' },
      start: { type: 'boolean' },
      overload: { type: 'boolean' },
      guard: { type: 'boolean' },
      against: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      connections: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      plants: { type: 'string' },
    },
  });
  const { against, only, rounds, seconds } = values;
  const isAsked = ({ name }: Pick<Mode, 'name'>) =>
    Object.entries(values).some(([key, value]) => key === name && value === true);
  const chosen = [...modes, guard].filter(isAsked);
  if (chosen.length > 1)
    throw new UsageError(`--${chosen.map(({ name }) => name).join(' and --')} exclude each other.`);
  const unknown = only.find((name) => !contestantNames.includes(name));
  if (unknown !== undefined) throw new UsageError(`--only does not know "${unknown}".`);
  // A shorter list is over before anything can be measured.
  const plants = readNumber('--plants', values.plants, 1_000_000, [1_000, 100_000_000]);
  return {
    asksGuard: isAsked(guard),
    asked: chosen.length > 0 ? modes.filter(isAsked) : modes,
    optionsFor: (mode) => ({
      rounds: readNumber('--rounds', rounds, mode.rounds),
      seconds: readNumber('--seconds', seconds, mode.seconds),
      plants,
      connections: values.connections?.map((text) => readNumber('--connections', text, 1, [1, 10_000])),
    }),
    names: only.length > 0 ? only : contestantNames,
    against,
  };
}

function readNumber(
  option: string,
  text: string | undefined,
  otherwise: number,
  [min, max] = [1, 1_000],
): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}.`);
}

/** What a measure lacks is a sentence, without a stack. */
function explain(error: unknown): string {
  const isExplained = error instanceof ProgramError || error instanceof FailedLoadError;
  return isExplained ? error.message : explainCommand(error);
}

await runWithCleanup({ help, main, explain });
