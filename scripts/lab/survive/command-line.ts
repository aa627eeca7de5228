import { randomInt } from 'node:crypto';
import { parseArguments, UsageError } from '../../kit/command.js';
import { faults } from './faults.js';

export const help = `Usage: npm run survive [-- OPTIONS]

Kills, stops, cuts off and starves the service and its PostgreSQL under load, and finds
out whether anything that it acknowledged was lost, doubled or wrong, and how long nobody was served.

  --seconds NUMBER  how long; by default 60
  --hours NUMBER    instead of that
  --seed NUMBER     repeats the order of the faults and what clients choose; by default a random one,
                    which is reported
  --pause SECONDS   of load between two faults, so that there is something to lose; by default 1
  --only TEXT       only faults whose names contain this; may be given several times
  --replicas NUMBER so many processes of the service, behind HAProxy (Debian: haproxy); by default 1,
                    without it
  --pgbouncer FILE  pgbouncer in transaction mode before PostgreSQL: its program, such as /usr/sbin/pgbouncer
  --embedded        the service keeps its PostgreSQL itself, as it does without DATABASE_URL
  --gardens         the service of examples/gardens instead of the plant store
  --plain           a plain Fastify + pg server instead of the service
  --hostile         instead of all that: hostile input, and SIGTERM under load; two to three minutes
  --help            this text

Exit code: 0; 1 if anything was lost, doubled, wrong, outside the contract, or not served again, or if
clients noticed a fault that they must not notice; with --hostile, if anything was not as the service
promises (a plain server promises nothing); 2 if it could not run.`;

export interface Task {
  readonly seconds: number;
  readonly seed: number;
  readonly pauseSeconds: number;
  readonly only: readonly string[];
  readonly replicas: number;
  readonly pgbouncer: string | undefined;
  readonly embedded: boolean;
  readonly gardens: boolean;
  readonly plain: boolean;
  readonly hostile: boolean;
}

/** @returns undefined if help is asked for */
export function readTask(args: readonly string[]): Task | undefined {
  const parsed = parse(args);
  const { help, seconds, hours, seed, pause, only = [], ...rest } = parsed;
  const { replicas, pgbouncer, embedded = false, plain = false, hostile = false, gardens = false } = rest;
  if (help) return undefined;
  if (seconds !== undefined && hours !== undefined)
    throw new UsageError('--seconds and --hours exclude each other.');
  if (embedded && plain) throw new UsageError('--embedded and --plain exclude each other.');
  if (embedded && (replicas ?? pgbouncer) !== undefined)
    throw new UsageError('--embedded excludes --replicas and --pgbouncer.');
  if (gardens && plain) throw new UsageError('--gardens and --plain exclude each other.');
  // The plain server has no /ready, which HAProxy asks.
  if (plain && replicas !== undefined) throw new UsageError('--plain and --replicas exclude each other.');
  const others = Object.keys(parsed).filter((name) => name !== 'hostile' && name !== 'plain');
  if (hostile && others.length > 0) throw new UsageError(`--hostile and --${others[0]} exclude each other.`);
  const unknown = only.find((text) => !faults.some(({ name }) => name.includes(text)));
  if (unknown !== undefined) {
    const names = faults.map(({ name }) => `  ${name}`);
    throw new UsageError(`--only is "${unknown}", but there are only these faults:\n${names.join('\n')}`);
  }
  return {
    seconds:
      hours === undefined
        ? readNumber('seconds', seconds, 60, 86_400)
        : 3_600 * readNumber('hours', hours, 1, 24),
    seed: readNumber('seed', seed, randomInt(1, 2 ** 31), 2 ** 31),
    pauseSeconds: readNumber('pause', pause, 1, 3_600),
    only,
    replicas: readNumber('replicas', replicas, 1, 16),
    pgbouncer,
    embedded,
    gardens,
    plain,
    hostile,
  };
}

function parse(args: readonly string[]) {
  return parseArguments({
    args: [...args],
    options: {
      seconds: { type: 'string' },
      hours: { type: 'string' },
      seed: { type: 'string' },
      pause: { type: 'string' },
      only: { type: 'string', multiple: true },
      replicas: { type: 'string' },
      pgbouncer: { type: 'string' },
      embedded: { type: 'boolean' },
      gardens: { type: 'boolean' },
      plain: { type: 'boolean' },
      hostile: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

function readNumber(name: string, text: string | undefined, otherwise: number, most: number): number {
  if (text === undefined) return otherwise;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a whole number from 1 to ${most}.`);
}
