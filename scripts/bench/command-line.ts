import { join, resolve } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { parseArguments, UsageError } from '../kit/command.js';
import { contestantNames } from './contestants.js';
import { type Mode, measureNames, modes, usualModes } from './modes.js';
import type { Options } from './session.js';

export const help = `Usage: npm run bench -- [--loads | --costs | --network | --shares | --memory | --growth | --haproxy |
                        --peers | --quick] [OPTIONS]

Without an option, the service beside its peers and its limits, and all that has a goal: about 40 minutes. Needs
nothing but this project; contestants whose tools are not on the machine are said to be missing.

  --contestants       of that, the nine contestants with 64 connections: about 12 minutes
  --loads             of that, from one connection to a thousand: about 10 minutes
  --costs             of that, CPU time, memory at rest, time to start, bodies, metrics: about 7 minutes
  --network           of that, creates with a network before PostgreSQL: about 2 minutes
  --shares            of that, quiet owners, new connections and overload: about 7 minutes
  --memory            of that, the service in a memory cgroup of 512 MB, as root: about 4 minutes
  --growth            instead of that, what the service costs as the work grows: about a quarter of an hour
  --haproxy           instead of that, one process and two behind HAProxy: about three minutes
  --peers             instead of that, beside the peers of the same work and the bare ones: about six minutes
  --quick             instead of that, the ratios in short, compared with the recorded ones: under two minutes
  --record            the report goes to docs/evidence/benchmarks; with --quick, a run is added to the record
  --only NAME         this measure or contestant only; may be given several times
                        measures    ${measureNames.join(', ')}
                        contestants ${contestantNames.join(', ')}
  --rounds NUMBER     how often everything is measured
  --seconds NUMBER    how long each load lasts
  --plants NUMBER     the longest list and the fullest store, 10000000 unless given; the others shrink with it
  --connections NUMBER  only so many, if there is a choice; may be given several times
  --output FOLDER     where the report goes, as text, JSON and Markdown; .data/bench unless given
  --database-url URL  a PostgreSQL whose user may create databases, instead of one of our own
  --help              this text

Exit code: 0; 1 if --quick finds a ratio that fell by a quarter or more; 2 if it could not measure.`;

/** What the command line asks for. */
export interface Task {
  /** Those of which something is wanted. */
  readonly modes: readonly [Mode, ...Mode[]];
  readonly record: boolean;
  /** The folder of the report. */
  readonly output: string;
  optionsFor(mode: Mode): Options;
}

const modeNames = [
  'contestants',
  'loads',
  'costs',
  'network',
  'shares',
  'memory',
  'growth',
  'haproxy',
  'peers',
  'quick',
] as const;

/** @returns undefined if help is asked for */
export function readTask(): Task | undefined {
  const values = readArguments();
  if (values.help) return undefined;
  const chosen = modeNames.filter((name) => values[name]);
  if (chosen.length > 1) throw new UsageError(`--${chosen.join(' and --')} exclude each other.`);
  if (values.record && values.output)
    throw new UsageError('--record says where the report goes: no --output.');
  const [name] = chosen;
  const asked = name === undefined ? usualModes : [modes[name]];
  const wants = wantsOnly(values.only, asked);
  const folder = values.record ? ['docs', 'evidence', 'benchmarks'] : ['.data', 'bench'];
  // A shorter list is over before anything can be measured.
  const plants = readNumber('--plants', values.plants, 10_000_000, [10_000, 100_000_000]);
  const connections = values.connections?.map((text) => readNumber('--connections', text, 1, [1, 10_000]));
  const [first, ...others] = asked.filter(({ measures }) => Object.keys(measures).some(wants));
  if (first === undefined) throw new UsageError('--only leaves nothing to measure.');
  return {
    modes: [first, ...others],
    record: values.record ?? false,
    output: values.output === undefined ? join(projectFolder, ...folder) : resolve(values.output),
    optionsFor: ({ rounds, seconds, warmUp, contestants }) => ({
      rounds: readNumber('--rounds', values.rounds, rounds),
      seconds: readNumber('--seconds', values.seconds, seconds),
      warmUp,
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
      contestants: { type: 'boolean' },
      loads: { type: 'boolean' },
      costs: { type: 'boolean' },
      network: { type: 'boolean' },
      shares: { type: 'boolean' },
      memory: { type: 'boolean' },
      growth: { type: 'boolean' },
      haproxy: { type: 'boolean' },
      peers: { type: 'boolean' },
      quick: { type: 'boolean' },
      record: { type: 'boolean' },
      only: { type: 'string', multiple: true, default: [] },
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
