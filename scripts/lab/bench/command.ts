/**
 * Runs `npm run bench`: measures the service beside its peers and its limits, on one PostgreSQL, as ratios.
 * docs/benchmarks.md says what the figures mean.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArguments, UsageError } from '../../contract/kit/command.js';
import { Progress, painted } from '../../contract/kit/progress.js';
import type { Cleanup } from '../../kit/cleanup.js';
import { projectFolder } from '../../kit/project.js';
import { runWithCleanup } from '../../kit/run-with-cleanup.js';
import { byHand, contestantNames, service } from './contestants.js';
import { goals } from './goals.js';
import { guardTable, judge, nameOf, together, type Values, type Verdict, valuesOf } from './guard.js';
import { measureLists } from './lists.js';
import { measureOverload } from './overload.js';
import { kinds, measurePeers } from './peers.js';
import { picture } from './picture.js';
import { figureTable } from './report.js';
import type { Measured } from './rounds.js';
import { type Options, openSession, type Session } from './session.js';
import { measureStart } from './start.js';

interface Mode {
  readonly name: string;
  /** How often everything is measured. */
  readonly rounds: number;
  /** How long each load lasts. */
  readonly seconds: number;
  measure(session: Session): Promise<Measured[]>;
}

const modes: readonly Mode[] = [
  { name: 'peers', rounds: 3, seconds: 1, measure: (session) => measurePeers(session) },
  { name: 'lists', rounds: 3, seconds: 1, measure: measureLists },
  { name: 'start', rounds: 5, seconds: 1, measure: measureStart },
  { name: 'overload', rounds: 3, seconds: 5, measure: measureOverload },
];

const quick: Mode = {
  name: 'quick',
  rounds: 2,
  seconds: 1,
  measure: (session) => measurePeers(session, quickConnections, isQuick),
};
const quickConnections = [1, 4, 64, 256, 1_000];
/** The CPU time of a second is too coarse for a guard: PostgreSQL's housekeeping is in it. */
const throughputs = goals.filter(({ better }) => better === 'more');
/** With 256 connections, only lists have fallen without a fall with 64 or 1,000: what is in flight outgrew V8's memory. */
const isQuick = (measure: string, connections: number) =>
  measure !== 'mix' && (connections !== 256 || measure === 'lists');

const help = `Usage: npm run bench -- [--peers | --lists | --start | --overload | --quick] [OPTIONS]

Compares the service with its peers and its limits. Without a mode, all but --quick: half an hour. Needs wrk;
what else is missing on the machine is named.

  --peers               from one connection to a thousand, beside Fastify and Go by hand
  --lists               a million plants beside psql's COPY
  --start               time to the first answer, and memory at rest
  --overload            a quiet owner beside a greedy one, and ten times the load that the database can do
  --quick               the guard: has a ratio fallen? Two minutes, and more to measure again
  --against FOLDER      the build of another checkout takes part, too: two versions of the code in turn
  --only NAME           only this contestant; may be given several times:
                        ${contestantNames.join(', ')}
  --connections NUMBER  of --peers; may be given several times; by default 1 to 1,000
  --rounds NUMBER       how often everything is measured
  --seconds NUMBER      how long each load lasts
  --plants NUMBER       the length of the list of --lists; by default 1000000
  --help                this text

Prints the figures and the goals, and writes them and a picture of --peers to .data/bench/.

Exit code: 0; 1 if a figure is worse by a quarter than what was reached before; 2 if it could not measure.`;

const output = join(projectFolder, '.data', 'bench');
const roundsAgain = 3;
const timesAgain = 3;

async function main(cleanup: Cleanup): Promise<number> {
  const { asked, optionsFor, names, against } = readTask();
  const [first = quick] = asked;
  const session = await openSession(cleanup, new Progress(), optionsFor(first), names, against);
  const measured: Measured[] = [];
  for (const mode of asked) measured.push(...(await mode.measure({ ...session, options: optionsFor(mode) })));
  const values = valuesOf(measured, first === quick ? throughputs : goals);
  const verdicts = (first === quick ? await lookAgain(session, values) : values).map(judge);
  await report(session, measured, verdicts);
  return verdicts.some(({ words }) => words === 'fell') ? 1 : 0;
}

/**
 * Measures what seems to have fallen again, with new servers, because the machine may have been busy. On two
 * virtual cores, a figure of a quiet machine differs by a third from one minute to the next. The median of all
 * rounds counts.
 */
async function lookAgain(session: Session, values: readonly Values[]): Promise<readonly Values[]> {
  let all = values;
  for (let time = 0; time < timesAgain; time++) {
    const suspects = all.map(judge).filter(({ isSuspect }) => isSuspect);
    if (suspects.length === 0) break;
    session.progress.done(`Measuring again: ${suspects.map(({ goal }) => nameOf(goal)).join(', ')}`);
    const isWanted = (measure: string, connections: number) =>
      suspects.some(({ goal }) => goal.measure === measure && goal.at === connections);
    const again = { ...session, options: { ...session.options, rounds: roundsAgain } };
    all = together(all, valuesOf(await measurePeers(again, quickConnections, isWanted), throughputs));
  }
  return all;
}

/** Prints the tables, and writes them and the picture. */
async function report(
  { missing, postgres }: Session,
  measured: readonly Measured[],
  verdicts: readonly Verdict[],
): Promise<void> {
  const conditions = [
    describeMachine(),
    `PostgreSQL ${postgres.version}, embedded, with its default settings.`,
    ...missing.map((sentence) => `Missing: ${sentence}`),
  ];
  const tables = measured.filter(({ series }) => series.length > 0).map(figureTable);
  const page = [conditions.join('\n'), ...tables, `### Goals\n\n${guardTable(verdicts)}`].join('\n\n');
  await write('results.md', `${page}\n`);
  const inPicture = measured.filter(({ name }) => kinds.some((kind) => kind.name === name));
  if (inPicture.length === kinds.length) await write('requests.svg', picture(inPicture));
  const colours: Readonly<Record<string, number>> = { met: 32, fell: 31 };
  console.log(page.replaceAll(/(?<=\| )(met|fell)(?= \|$)/gm, (word) => painted(colours[word] ?? 0, word)));
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

function readTask(): {
  asked: readonly Mode[];
  optionsFor: (mode: Mode) => Options;
  names: readonly string[];
  against: string | undefined;
} {
  const { values } = parseArguments({
    options: {
      peers: { type: 'boolean' },
      lists: { type: 'boolean' },
      start: { type: 'boolean' },
      overload: { type: 'boolean' },
      quick: { type: 'boolean' },
      against: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      connections: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      plants: { type: 'string' },
    },
  });
  const { against, only, rounds, seconds } = values;
  const chosen = [...modes, quick].filter(({ name }) =>
    Object.entries(values).some(([key, value]) => key === name && value === true),
  );
  if (chosen.length > 1)
    throw new UsageError(`--${chosen.map(({ name }) => name).join(' and --')} exclude each other.`);
  const unknown = only.find((name) => !contestantNames.includes(name));
  if (unknown !== undefined) throw new UsageError(`--only does not know "${unknown}".`);
  const usual = chosen[0] === quick ? [service.name, byHand] : contestantNames;
  // A shorter list is over before anything can be measured.
  const plants = readNumber('--plants', values.plants, 1_000_000, [1_000, 100_000_000]);
  return {
    asked: chosen.length > 0 ? chosen : modes,
    optionsFor: (mode) => ({
      rounds: readNumber('--rounds', rounds, mode.rounds),
      seconds: readNumber('--seconds', seconds, mode.seconds),
      plants,
      connections: values.connections?.map((text) => readNumber('--connections', text, 1, [1, 10_000])),
    }),
    names: only.length > 0 ? only : usual,
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

await runWithCleanup({ help, main });
