import { join, resolve } from 'node:path';
import { projectFolder } from '../../../src/project.js';
import { parseArguments, UsageError } from '../../kit/command.js';
import { contestantNames } from './contestants.js';
import { type Mode, measureNames, modes, reportedModes } from './modes.js';
import type { Options } from './session.js';

export const help = `Usage: npm run bench -- [--peers | --lists | --costs | --shares | --haproxy | --network | --quick] [OPTIONS]

Compares the service with its peers and its limits. Without a mode, all but --quick: about 25 minutes. Needs wrk;
contestants whose tools are not on the machine are said to be missing.

  --peers             from one connection to a thousand, beside the peers of the same work and the bare ones
  --lists             a million plants beside psql's COPY, and up to ten million in flat memory
  --costs             CPU time, memory at rest, time to start
  --shares            a quiet owner beside a greedy one, and ten times the load that the database can do
  --haproxy           one process and two behind HAProxy
  --network           creates with a network before PostgreSQL
  --quick             have the ratios fallen since they were recorded? Two minutes
  --record            with --quick: adds a run to the record, instead of the oldest
  --against FOLDER    the build of another checkout takes part, too: two versions of the code in turn
  --only NAME         this measure or contestant only; may be given several times
                        measures    ${measureNames.join(', ')}
                        contestants ${contestantNames.join(', ')}
  --rounds NUMBER     how often everything is measured
  --seconds NUMBER    how long each load lasts
  --plants NUMBER     the longest list, 10000000 unless given; the others shrink with it
  --connections NUMBER  only so many, if there is a choice; may be given several times
  --output FOLDER     where the pages of results go; .data/bench unless given
  --database-url URL  a PostgreSQL whose user may create databases, instead of one of our own
  --help              this text

Exit code: 0; 1 if --quick finds a ratio that fell by a quarter or more; 2 if it could not measure.`;

/** What the command line asks for. */
export interface Task {
  /** The modes of which at least one measure is wanted. */
  readonly modes: readonly [Mode, ...Mode[]];
  readonly record: boolean;
  /** The folder into which the reports are written. */
  readonly output: string;
  optionsFor(mode: Mode): Options;
}

const modeNames = ['peers', 'lists', 'costs', 'shares', 'haproxy', 'network', 'quick'] as const;

/** @returns undefined if help is asked for */
export function readTask(): Task | undefined {
  const values = readArguments();
  if (values.help) return undefined;
  const chosen = modeNames.filter((name) => values[name]);
  if (chosen.length > 1) throw new UsageError(`--${chosen.join(' and --')} exclude each other.`);
  if (values.record && !values.quick) throw new UsageError('--record adds a run of --quick: give both.');
  const [name] = chosen;
  const asked = name === undefined ? reportedModes : [modes[name]];
  const wants = wantsOnly(values.only, asked);
  // A shorter list is over before anything can be measured.
  const plants = readNumber('--plants', values.plants, 10_000_000, [10_000, 100_000_000]);
  const connections = values.connections?.map((text) => readNumber('--connections', text, 1, [1, 10_000]));
  const [first, ...others] = asked.filter(({ measures }) => Object.keys(measures).some(wants));
  if (first === undefined) throw new UsageError('--only leaves nothing to measure.');
  return {
    modes: [first, ...others],
    record: values.record ?? false,
    output: resolve(values.output ?? join(projectFolder, '.data', 'bench')),
    optionsFor: ({ rounds, seconds, warmUpSeconds, contestants }) => ({
      rounds: readNumber('--rounds', values.rounds, rounds),
      seconds: readNumber('--seconds', values.seconds, seconds),
      warmUpSeconds,
      against: values.against,
      plants,
      databaseUrl: values['database-url'],
      connections,
      wants: (name) =>
        wants(name) && (!contestantNames.includes(name) || (contestants?.includes(name) ?? true)),
    }),
  };
}

/** @throws {UsageError} if a name is not one of a contestant, or of a measure of these modes */
function wantsOnly(only: readonly string[], asked: readonly Mode[]): (name: string) => boolean {
  const here = asked.flatMap(({ measures }) => Object.keys(measures));
  for (const name of only) {
    if (contestantNames.includes(name) || here.includes(name)) continue;
    throw new UsageError(
      measureNames.includes(name)
        ? `--only ${name} is not what this measures: it has ${here.join(', ')}.`
        : `--only does not know "${name}" (see --help).`,
    );
  }
  const isContestant = (name: string) => contestantNames.includes(name);
  return (asked) => {
    const rivals = only.filter((one) => isContestant(one) === isContestant(asked));
    return rivals.length === 0 || rivals.includes(asked);
  };
}

function readArguments() {
  return parseArguments({
    options: {
      peers: { type: 'boolean' },
      lists: { type: 'boolean' },
      costs: { type: 'boolean' },
      shares: { type: 'boolean' },
      haproxy: { type: 'boolean' },
      network: { type: 'boolean' },
      quick: { type: 'boolean' },
      record: { type: 'boolean' },
      only: { type: 'string', multiple: true, default: [] },
      against: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      plants: { type: 'string' },
      connections: { type: 'string', multiple: true },
      output: { type: 'string' },
      'database-url': { type: 'string' },
      help: { type: 'boolean' },
    },
  }).values;
}

function readNumber(
  option: string,
  text: string | undefined,
  otherwise: number,
  [least, most] = [1, 1_000],
): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new UsageError(`${option} must be a whole number from ${least} to ${most}.`);
}
