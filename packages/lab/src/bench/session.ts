/**
 * What all measures share: PostgreSQL, the contestants, and the load generator. It starts and warms up
 * contestants, and ends them.
 */

import type { Progress, Scope } from '../../../contract-tools/base.js';
import { makeFolder, ProgramError, Server } from '../../../kit/index.js';
import { buildContestants, type Contestant, findTool } from './contestants.js';
import { BenchDatabase } from './database.js';
import { Postgres } from './postgres.js';
import { type SendLoad, unusedIds, wrkLoad } from './wrk.js';

export interface Options {
  readonly rounds: number;
  /** How long each load lasts. */
  readonly seconds: number;
  /** The length of the long list. */
  readonly plants: number;
  /** The numbers of connections, if they are not the usual ones. */
  readonly connections: readonly number[] | undefined;
}

interface Wish {
  readonly options: Options;
  /** The names of the contestants. */
  readonly names: readonly string[];
  /** The folder of another checkout that takes part. */
  readonly against: string | undefined;
  /** Whether PostgreSQL counts the statements of each contestant. */
  readonly countsStatements?: boolean;
}

/** All measures need these: PostgreSQL, the contestants, a load generator. */
export interface Session {
  readonly options: Options;
  readonly cleanup: Scope;
  readonly progress: Progress;
  readonly postgres: Postgres;
  /** The contestants that are asked for and can run. */
  readonly contestants: readonly Contestant[];
  /** A sentence for each thing that could not be measured, with the reason. */
  readonly missing: string[];
  readonly send: SendLoad;
}

/** The number of plants that are stored before lists and daily life. */
export const storedPlants = 160_000;
/** How long the load before the first round lasts, because V8 takes about 4 s to compile hot code. */
const warmUpSeconds = 4;

/**
 * Compiles the contestants, and starts PostgreSQL.
 *
 * @throws {ProgramError} if wrk, which makes the load, is not on this machine, or if a contestant does not
 *   compile
 */
export async function openSession(
  cleanup: Scope,
  progress: Progress,
  { options, names, against, countsStatements = false }: Wish,
): Promise<Session> {
  const wrk = await findTool('wrk');
  if (wrk === undefined)
    throw new ProgramError('wrk, which makes the load, is not on this machine: install it (Debian: wrk).');
  const folder = await makeFolder(cleanup);
  progress.show('compiling the contestants');
  const { contestants, missing } = await buildContestants(cleanup, folder, names, against);
  progress.show('starting PostgreSQL');
  const postgres = await Postgres.start(cleanup, countsStatements);
  return {
    options,
    cleanup,
    progress,
    postgres,
    contestants,
    missing,
    send: wrkLoad(cleanup, wrk, folder),
  };
}

/** A running contestant, on a database of its own or on a shared one. */
export interface Running {
  readonly contestant: Contestant;
  readonly server: Server;
  readonly database: BenchDatabase;
}

interface Cast {
  /** The names of the contestants that take part; all take part if it is left out. */
  readonly only?: readonly string[];
  /** The database that all share; if it is left out, each has its own. */
  readonly shared?: BenchDatabase;
}

/**
 * Starts the contestants, warms them up with requests of all kinds, and ends them after the measure.
 *
 * @throws {ProgramError} if one does not start
 * @throws {FailedLoadError} if one gives answers that a load must not get
 */
export async function withContestants<Outcome>(
  session: Session,
  { only, shared }: Cast,
  measure: (all: readonly Running[]) => Promise<Outcome>,
): Promise<Outcome> {
  const { cleanup, contestants, postgres, progress } = session;
  const all: Running[] = [];
  try {
    for (const contestant of contestants) {
      if (only !== undefined && !only.includes(contestant.name)) continue;
      progress.show(`starting ${contestant.title}`);
      const database = shared ?? (await BenchDatabase.create(postgres));
      const server = await Server.start(cleanup, contestant.command, database.url);
      all.push({ contestant, database, server });
      if (shared === undefined) await warmUp(session, server.address, database);
    }
    return await measure(all);
  } finally {
    await Promise.all(all.map(({ server }) => server.stop()));
  }
}

/** Stores plants, and sends requests of all kinds until V8 has compiled the code. */
async function warmUp({ send }: Session, address: string, database: BenchDatabase): Promise<void> {
  await database.fill(storedPlants);
  await send(address, {
    kind: 'mix',
    connections: 64,
    seconds: warmUpSeconds,
    firstId: unusedIds(),
    tokens: database.tokens,
    mayBeRefused: 0.05,
  });
}
