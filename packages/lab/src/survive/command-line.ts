/** Reads the command line of `npm run survive`. */
import { randomInt } from 'node:crypto';
import { parseArguments, UsageError } from '../../../contract-tools/base.js';
import { faults } from './faults.js';

export const help = `Usage: npm run survive [-- OPTIONS]

Kills, stops, cuts off and starves the service and its PostgreSQL under load, and finds
out whether anything that it acknowledged was lost, doubled or wrong, and how long nobody was served.

  --seconds NUMBER  how long; by default 60
  --seed NUMBER     repeats the order of the faults and what clients choose; by default a random one,
                    which is reported
  --only TEXT       only faults whose names contain this; may be given several times
  --replicas NUMBER so many processes of the service, behind HAProxy (Debian: haproxy); by default 1,
                    without it
  --pgbouncer FILE  pgbouncer in transaction mode before PostgreSQL: its program, such as /usr/sbin/pgbouncer
  --embedded        the service keeps its PostgreSQL itself, as it does without DATABASE_URL
  --gardens         the service of examples/gardens instead of the plant store
  --hostile         instead of all that: hostile input, and SIGTERM under load; a minute
  --help            this text

Exit code: 0; 1 if anything was lost, doubled, wrong, outside the contract, or not served again, if the
service ended by itself, or if clients noticed a fault that they must not notice; with --hostile, if
anything was not as the service promises; 2 if it could not run.`;

interface Task {
  readonly seconds: number;
  readonly seed: number;
  readonly only: readonly string[];
  readonly replicas: number;
  readonly pgbouncer: string | undefined;
  readonly embedded: boolean;
  readonly gardens: boolean;
  readonly hostile: boolean;
}

/** @throws {UsageError} if an option is wrong, or excludes another one */
export function readTask(args: readonly string[]): Task {
  const { values } = parseArguments({
    args: [...args],
    options: {
      seconds: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
      replicas: { type: 'string' },
      pgbouncer: { type: 'string' },
      embedded: { type: 'boolean' },
      gardens: { type: 'boolean' },
      hostile: { type: 'boolean' },
    },
  });
  const { seconds, seed, only = [], replicas, pgbouncer } = values;
  const { embedded = false, gardens = false, hostile = false } = values;
  if (embedded && (replicas ?? pgbouncer) !== undefined)
    throw new UsageError('--embedded excludes --replicas and --pgbouncer.');
  const others = Object.keys(values).filter((name) => name !== 'hostile');
  if (hostile && others.length > 0) throw new UsageError(`--hostile and --${others[0]} exclude each other.`);
  const unknown = only.find((text) => !faults.some(({ name }) => name.includes(text)));
  if (unknown !== undefined) {
    const names = faults.map(({ name }) => `  ${name}`);
    throw new UsageError(`--only is "${unknown}", but there are only these faults:\n${names.join('\n')}`);
  }
  return {
    seconds: readNumber('seconds', seconds, 60, 86_400),
    seed: readNumber('seed', seed, randomInt(1, 2 ** 31), 2 ** 31),
    only,
    replicas: readNumber('replicas', replicas, 1, 16),
    pgbouncer,
    embedded,
    gardens,
    hostile,
  };
}

function readNumber(name: string, text: string | undefined, otherwise: number, max: number): number {
  if (text === undefined) return otherwise;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a whole number from 1 to ${max}.`);
}
