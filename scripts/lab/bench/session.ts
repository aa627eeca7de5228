import { availableParallelism } from 'node:os';
import { makeToken } from '../../../src/access/token.js';
import { BenchDatabase } from '../../kit/database.js';
import { makeFolder } from '../../kit/folder.js';
import type { SendLoad } from '../../kit/load.js';
import { Postgres } from '../../kit/postgres.js';
import { ProgramError } from '../../kit/programs.js';
import type { Progress } from '../../kit/progress.js';
import type { Scope } from '../../kit/scope.js';
import { Server } from '../../kit/server.js';
import { wrkLoad } from '../../kit/wrk.js';
import { buildContestants, type Contestant } from './contestants.js';
import { describeMachine, findTools, type Tools } from './machine.js';
import { Strangers } from './strangers.js';

export interface Options {
  readonly rounds: number;
  /** How long each load lasts. */
  readonly seconds: number;
  /** How long a load lasts before the first round: V8 takes about 4 s to compile hot code. */
  readonly warmUpSeconds: number;
  /** The longest list and the fullest store; other sizes are shares of them. */
  readonly plants: number;
  readonly databaseUrl: string | undefined;
  /** The numbers of connections, if they are not the usual ones. */
  readonly connections: readonly number[] | undefined;
  /** The folder of another checkout, whose build takes part as "before". */
  readonly against: string | undefined;
  /** Whether a measure, or a contestant, is asked for. */
  wants(name: string): boolean;
}

/** What all measures need: the machine's tools, PostgreSQL, the contestants, a load generator. */
export interface Session {
  readonly options: Options;
  readonly cleanup: Scope;
  readonly progress: Progress;
  readonly tools: Tools;
  /** A folder for temporary files. */
  readonly folder: string;
  readonly postgres: Postgres;
  /** The contestants that are asked for and can run. */
  readonly contestants: readonly Contestant[];
  readonly missing: string[];
  readonly cores: number;
  readonly conditions: readonly string[];
  readonly tokens: readonly string[];
  readonly send: SendLoad;
  readonly strangers: Strangers;
}

/** The number of owners whose tokens requests take in turn, and who share the plants. */
export const owners = 16;
/** Simultaneous connections, unless a measure varies them. */
export const connections = 64;

/** @throws {ProgramError} if wrk, which makes the load, is not on this machine */
export async function openSession(options: Options, cleanup: Scope, progress: Progress): Promise<Session> {
  const folder = await makeFolder(cleanup);
  progress.show('compiling the contestants');
  const tools = await findTools();
  if (tools.wrk === undefined)
    throw new ProgramError('wrk, which makes the load, is not on this machine: install it (Debian: wrk).');
  const contestants = await buildContestants(cleanup, tools, folder, options);
  progress.show('starting PostgreSQL');
  const postgres = await Postgres.open(options.databaseUrl, cleanup);
  return {
    options,
    cleanup,
    progress,
    tools,
    folder,
    postgres,
    contestants: contestants.filter((one): one is Contestant => 'command' in one),
    missing: contestants.flatMap((one) => ('missing' in one ? `${one.name}: ${one.missing}` : [])),
    cores: availableParallelism(),
    conditions: [
      `${new Date().toISOString().slice(0, 10)}: ${describeMachine()}.`,
      `${postgres.description}.`,
    ],
    tokens: Array.from({ length: owners }, makeToken),
    strangers: await watchStrangers(postgres, 0),
    send: wrkLoad(cleanup, tools.wrk, folder),
  };
}

/** @param maxRepeats how often figures are taken again because other programs disturbed them */
export async function watchStrangers(postgres: Postgres, maxRepeats: number): Promise<Strangers> {
  const postmaster = await postgres.postmaster();
  return new Strangers([process.pid, ...(postmaster === undefined ? [] : [postmaster])], maxRepeats);
}

/** A running contestant, on a database of its own or on a shared one. */
export interface Running {
  readonly contestant: Contestant;
  readonly server: Server;
  readonly database: BenchDatabase;
}

interface Cast {
  /** The database that all share; if it is left out, each has its own. */
  readonly shared?: BenchDatabase;
  /** The names of the contestants that take part; all take part if it is left out. */
  readonly only?: readonly string[];
  /**
   * Puts something between a contestant and its database.
   *
   * @returns the URL through it
   */
  between?(databaseUrl: string): Promise<string>;
  /** Environment variables for the service. The other contestants know none of them. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts the contestants that are asked for, and ends them after the measure. */
export async function withContestants<Outcome>(
  session: Session,
  { shared, only, between, settings }: Cast,
  measure: (all: readonly Running[]) => Promise<Outcome>,
): Promise<Outcome> {
  const all: Running[] = [];
  try {
    for (const contestant of session.contestants) {
      if (only !== undefined && !only.includes(contestant.name)) continue;
      if (!session.options.wants(contestant.name)) continue;
      session.progress.show(`starting ${contestant.title}`);
      const database = shared ?? (await BenchDatabase.create(session.postgres, session.tokens));
      const url = (await between?.(database.url)) ?? database.url;
      const server = await Server.start(session.cleanup, contestant.command, url, settings);
      all.push({ contestant, database, server });
    }
    return await measure(all);
  } finally {
    await Promise.all(all.map(({ server }) => server.stop()));
  }
}
