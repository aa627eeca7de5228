/**
 * `npm run bench`: the service beside its peers and its limits, on one PostgreSQL, as ratios.
 * docs/benchmarks.md says what the figures mean.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../src/project.js';
import { Cleanup } from './bench/cleanup.js';
import { contestantNames } from './bench/contestants.js';
import { measureListSizes } from './bench/growth/list-sizes.js';
import { measureConnections, measureHalfLoad, measureOwners } from './bench/growth/load-shapes.js';
import { measureStored } from './bench/growth/stored.js';
import { compare, describe, guardedRatios, guards, readRecord, writeRecord } from './bench/guard.js';
import { measureLists } from './bench/lists.js';
import { measureCreates, measureDeletes, measurePages } from './bench/measures.js';
import { toSvg } from './bench/plot.js';
import { Progress, painted } from './bench/progress.js';
import { toJson, toMarkdown, toText } from './bench/report.js';
import type { Measured, Results } from './bench/results.js';
import { type Options, openSession, type Session } from './bench/session.js';

type Measures = Readonly<Record<string, (session: Session) => Promise<Measured[]>>>;

const sideBySide: Measures = {
  creates: measureCreates,
  deletes: measureDeletes,
  page: measurePages,
  list: measureLists,
};
const growth: Measures = {
  connections: measureConnections,
  owners: measureOwners,
  half: measureHalfLoad,
  sizes: measureListSizes,
  stored: measureStored,
};
const { list: _long, ...short } = sideBySide;
/** What is measured, and how long unless the command line says otherwise. */
const modes = {
  contestants: {
    title: 'The service beside its peers and its limits',
    measures: sideBySide,
    rounds: 7,
    seconds: 3,
    warmUp: 5,
  },
  growth: { title: 'The service as the work grows', measures: growth, rounds: 3, seconds: 2, warmUp: 2 },
  quick: { title: 'The ratios of throughputs, in short', measures: short, rounds: 2, seconds: 1, warmUp: 2 },
};
const names = [...Object.keys(sideBySide), ...Object.keys(growth)];

const help = `Usage: npm run bench -- [--growth | --quick] [OPTIONS]

Without an option, the service beside its peers and its limits: about 15 minutes. Needs nothing but this
project; contestants whose tools are not on the machine are said to be missing.

  --growth            in place of that, what the service costs as the work grows: about half an hour
  --quick             in place of that, the ratios in short, compared with the recorded ones: about a minute
  --record            with --quick: record the ratios, in place of comparing them
  --only NAME         this measure or contestant only; may be given several times
                        measures    ${names.join(', ')}
                        contestants ${contestantNames.join(', ')}
  --rounds NUMBER     how often everything is measured
  --seconds NUMBER    how long each load lasts
  --output FOLDER     where the report goes, as text, JSON, Markdown and SVG; .data/bench unless given
  --database-url URL  a PostgreSQL whose user may create databases, in place of one of our own
  --help              this text

Exit code: 0; 1 where --quick finds a ratio that fell by a quarter or more; 2 where it could not measure.`;

/** The command line is wrong; the message says how. */
class UsageError extends Error {}

type Arguments = ReturnType<typeof readArguments>;

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        growth: { type: 'boolean' },
        quick: { type: 'boolean' },
        record: { type: 'boolean' },
        only: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        output: { type: 'string', default: join(projectFolder, '.data', 'bench') },
        'database-url': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.growth && values.quick) throw new UsageError('--growth and --quick exclude each other.');
    if (values.record && !values.quick) throw new UsageError('--record goes with --quick.');
    for (const name of values.only) {
      if (!names.includes(name) && !contestantNames.includes(name))
        throw new UsageError(`--only does not know "${name}" (see --help).`);
    }
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function main(values: Arguments, cleanup: Cleanup): Promise<number> {
  if (values.help) {
    console.log(help);
    return 0;
  }
  const name = values.growth ? 'growth' : values.quick ? 'quick' : 'contestants';
  const mode = modes[name];
  const options: Options = {
    rounds: readNumber('--rounds', values.rounds, mode.rounds),
    seconds: readNumber('--seconds', values.seconds, mode.seconds),
    warmUp: mode.warmUp,
    databaseUrl: values['database-url'],
    wants: (asked) => {
      const rivals = values.only.filter((one) => names.includes(one) === names.includes(asked));
      return rivals.length === 0 ? values.quick !== true || guards(asked) : rivals.includes(asked);
    },
  };
  const progress = new Progress();
  const session = await openSession(options, cleanup, progress);
  const results = await measure(mode.title, mode.measures, session);
  console.log(toText(results));
  if (!values.quick) {
    await writeReport(resolve(values.output), name, results);
    return 0;
  }
  if (values.record) {
    await writeRecord(results);
    return 0;
  }
  if (await holds(results)) return 0;
  progress.done(
    'Again, and twice as long, since a ratio fell: a busy moment of the machine is no regression',
  );
  const longer = { ...session, options: { ...options, rounds: 2 * options.rounds } };
  return (await holds(await measure(mode.title, mode.measures, longer))) ? 0 : 1;
}

function readNumber(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 1_000) return number;
  throw new UsageError(`${option} must be a whole number from 1 to 1000.`);
}

async function measure(title: string, measures: Measures, session: Session): Promise<Results> {
  const { conditions, missing, options } = session;
  const results: Results = { title, conditions, missing, measured: [] };
  for (const [name, take] of Object.entries(measures)) {
    if (options.wants(name)) results.measured.push(...(await take(session)));
  }
  return results;
}

async function holds(results: Results): Promise<boolean> {
  const verdicts = compare(await readRecord(), guardedRatios(results));
  for (const verdict of verdicts) console.log(painted(verdict.fell ? 31 : 32, describe(verdict)));
  return !verdicts.some(({ fell }) => fell);
}

async function writeReport(folder: string, name: string, results: Results): Promise<void> {
  await mkdir(folder, { recursive: true });
  const plots: string[] = [];
  for (const measured of results.measured) {
    if (measured.series.length === 0) continue;
    plots.push(`${measured.name}.svg`);
    await writeFile(join(folder, `${measured.name}.svg`), toSvg(measured));
  }
  await writeFile(join(folder, `${name}.txt`), toText(results, false));
  await writeFile(join(folder, `${name}.json`), toJson(results));
  await writeFile(join(folder, `${name}.md`), toMarkdown(results, plots));
  console.log(
    `Written to ${relative(process.cwd(), folder) || '.'}: ${name}.txt, .json, .md and ${plots.length} plots.`,
  );
}

const cleanup = new Cleanup();
cleanup.beforeExit();
try {
  process.exitCode = await main(readArguments(), cleanup);
} catch (error) {
  if (!cleanup.ended) {
    // An exit code of 1 would say that a ratio fell.
    process.exitCode = 2;
    console.error(error instanceof UsageError ? error.message : error);
  }
} finally {
  await cleanup.run();
}
