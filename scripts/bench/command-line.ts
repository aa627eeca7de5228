import { join, resolve } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { parseArguments, UsageError } from '../kit/command.js';
import { contestantNames } from './contestants.js';
import { guards } from './guard.js';
import { type Mode, measureNames, modes } from './modes.js';
import type { Options } from './session.js';

export const help = `Usage: npm run bench -- [--growth | --loads | --replicas | --quick] [OPTIONS]

Without an option, the service beside its peers and its limits: about 10 minutes. Needs nothing but this
project; contestants whose tools are not on the machine are said to be missing.

  --growth            in place of that, what the service costs as the work grows: about a quarter of an hour
  --loads             in place of that, from one connection to a thousand: about a quarter of an hour
  --replicas          in place of that, one process of the service, and two behind HAProxy: about three minutes
  --quick             in place of that, the ratios in short, compared with the recorded ones: about a minute
  --record            the report goes to docs/evidence/benchmarks; with --quick, the ratios are recorded, not compared
  --only NAME         this measure or contestant only; may be given several times
                        measures    ${measureNames.join(', ')}
                        contestants ${contestantNames.join(', ')}
  --rounds NUMBER     how often everything is measured
  --seconds NUMBER    how long each load lasts
  --plants NUMBER     the longest list and the fullest store, 10000000 unless given; the others shrink with it
  --connections NUMBER  with --loads, only so many; may be given several times
  --output FOLDER     where the report goes, as text, JSON and Markdown; .data/bench unless given
  --database-url URL  a PostgreSQL whose user may create databases, in place of one of our own
  --help              this text

Exit code: 0; 1 where --quick finds a ratio that fell by a quarter or more; 2 where it could not measure.`;

/** What the command line asks for. */
export interface Task {
  readonly mode: Mode;
  readonly options: Options;
  readonly record: boolean;
  /** The folder of the report. */
  readonly output: string;
}

/** @returns undefined if help is asked for */
export function readTask(): Task | undefined {
  const values = readArguments();
  if (values.help) return undefined;
  const chosen = (['growth', 'loads', 'replicas', 'quick'] as const).filter((name) => values[name]);
  if (chosen.length > 1) throw new UsageError(`--${chosen.join(' and --')} exclude each other.`);
  if (values.record && values.output)
    throw new UsageError('--record says where the report goes: no --output.');
  const mode = modes[chosen[0] ?? 'contestants'];
  for (const name of values.only) {
    if (!measureNames.includes(name) && !contestantNames.includes(name))
      throw new UsageError(`--only does not know "${name}" (see --help).`);
    if (measureNames.includes(name) && !(name in mode.measures))
      throw new UsageError(`--only ${name} is not what this measures: it has ${Object.keys(mode.measures)}.`);
  }
  const folder = values.record ? ['docs', 'evidence', 'benchmarks'] : ['.data', 'bench'];
  return {
    mode,
    record: values.record ?? false,
    output: values.output === undefined ? join(projectFolder, ...folder) : resolve(values.output),
    options: {
      rounds: readNumber('--rounds', values.rounds, mode.rounds),
      seconds: readNumber('--seconds', values.seconds, mode.seconds),
      warmUp: mode.warmUp,
      // A shorter list is over before anything can be measured.
      plants: readNumber('--plants', values.plants, 10_000_000, [10_000, 100_000_000]),
      databaseUrl: values['database-url'],
      connections: values.connections?.map((text) => readNumber('--connections', text, 1, [1, 10_000])),
      wants: (asked) => {
        const rivals = values.only.filter(
          (one) => measureNames.includes(one) === measureNames.includes(asked),
        );
        return rivals.length === 0 ? mode !== modes.quick || guards(asked) : rivals.includes(asked);
      },
    },
  };
}

function readArguments() {
  return parseArguments({
    options: {
      growth: { type: 'boolean' },
      loads: { type: 'boolean' },
      replicas: { type: 'boolean' },
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
