/**
 * Starts the PostgreSQL that the service brings along, with other settings than its own. A process of the
 * service's house runs it (packages/embedded-postgres/cluster-process.ts), because nothing here imports the service.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Scope } from '../../contract-tools/base.js';
import { isAlive } from './processes.js';
import { ProgramError } from './programs.js';
import { projectFolder } from './project.js';

type Settings = Readonly<Record<string, string | number>>;

const program = join(projectFolder, 'packages', 'embedded-postgres', 'cluster-process.ts');
const connectTimeoutMs = 10_000;

/** What the process of the cluster answers. */
type Reply = { readonly url: string } | { readonly failure: string };

export class Cluster {
  readonly #process: ChildProcess;
  #url = '';
  /** The answers come in the order of the requests, so there is one request at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string, settings: Settings) {
    this.#process = fork(program, [folder, JSON.stringify(settings)], {
      execArgv: ['--import', import.meta.resolve('tsx')],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /** The URL of its Unix socket, once it has started. */
  get url(): string {
    return this.#url;
  }

  /**
   * Starts PostgreSQL, also again after it has ended, and waits until it answers.
   *
   * @throws {ProgramError} if it cannot be made, or does not start
   */
  start(): Promise<void> {
    return this.#ask('start');
  }

  /** Stops PostgreSQL by a fast shutdown, and waits for its end. */
  stop(): Promise<void> {
    return this.#ask('stop');
  }

  /** Stops PostgreSQL, and the process that runs it. */
  async end(): Promise<void> {
    await this.#last.catch(() => {});
    if (!this.#process.connected) return;
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }

  /**
   * Opens a connection, which the caller closes.
   *
   * @throws {Error} of pg, if no server answers
   */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: connectTimeoutMs });
    // An "error" without a listener would end the process.
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  #ask(what: 'start' | 'stop'): Promise<void> {
    const answered = this.#last.catch(() => {}).then(() => this.#askNow(what));
    this.#last = answered;
    return answered;
  }

  async #askNow(what: 'start' | 'stop'): Promise<void> {
    const over = new AbortController();
    const { signal } = over;
    const reply = once(this.#process, 'message', { signal }).then(([message]): Reply => message);
    const end = once(this.#process, 'exit', { signal }).then(
      (): Reply => ({ failure: 'The process that runs PostgreSQL has ended.' }),
    );
    const first = Promise.race([reply, end]);
    try {
      if (!this.#process.connected) throw new ProgramError('The process that runs PostgreSQL has ended.');
      this.#process.send(what);
      const answer = await first;
      if ('failure' in answer) throw new ProgramError(answer.failure);
      this.#url = answer.url;
    } finally {
      // The other of the two is no longer waited for.
      for (const one of [first, reply, end]) one.catch(() => {});
      over.abort();
    }
  }
}

/**
 * Starts a cluster in a folder, in which it is made if there is none, and stops it at the end of the scope.
 *
 * @param settings settings of PostgreSQL, by their names
 * @throws {ProgramError} if the cluster cannot be made, or does not start
 */
export async function startCluster(scope: Scope, folder: string, settings: Settings): Promise<Cluster> {
  const cluster = new Cluster(folder, settings);
  // If an interrupt comes during the start, PostgreSQL is stopped once it has started.
  scope.teardown(() => cluster.end());
  await cluster.start();
  return cluster;
}

/** @returns the id of the process of a cluster's postmaster; undefined if it does not run */
export async function postmasterOf(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isNaN(pid) || !(await isAlive(pid)) ? undefined : pid;
}
