import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { Cluster } from '../../../src/embedded-postgres/cluster.js';
import { makeStandby } from '../../kit/standby.js';
import type { Cleanup } from '../cleanup.js';
import { neededConnections, Postgres } from '../postgres.js';
import { ProgramError } from '../programs.js';

const watchMs = 10;
const patienceMs = 60_000;
/** Patroni's synchronous mode names the standby that it has chosen; here is only one. */
const settings = { max_connections: neededConnections, synchronous_standby_names: '*' };

interface Clients {
  readonly leader: pg.Client;
  readonly standby: pg.Client;
}

/** A leader whose commits wait for its standby, as in Patroni's synchronous mode, and that hot standby. */
export class Pair {
  readonly leader: Postgres;
  readonly standby: Postgres;
  readonly #standbyUrl: string;
  readonly #clients: Clients;

  private constructor(leader: Postgres, standby: Postgres, standbyUrl: string, clients: Clients) {
    this.leader = leader;
    this.standby = standby;
    this.#standbyUrl = standbyUrl;
    this.#clients = clients;
  }

  static async start(cleanup: Cleanup): Promise<Pair> {
    const folder = await mkdtemp(join(tmpdir(), 'plants-bench-'));
    cleanup.add(() => rm(folder, { recursive: true }));
    const place = join(folder, 'leader');
    const leader = await Cluster.open(place);
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    await appendFile(join(place, 'postgres', 'postgresql.auto.conf'), lines.join(''));
    const standby = await makeStandby({ folder: place, url: leader.url }, join(folder, 'standby'));
    for (const cluster of [leader, standby]) {
      cleanup.add(() => cluster.stop());
      await cluster.start();
    }
    const clients = { leader: await leader.connect(), standby: await standby.connect() };
    cleanup.add(() => Promise.all([clients.leader.end(), clients.standby.end()]));
    const [one, other] = [
      await Postgres.open(leader.url, cleanup),
      await Postgres.open(standby.url, cleanup),
    ];
    return new Pair(one, other, standby.url, clients);
  }

  /** The URL of the leader's database on the standby. */
  readUrl(databaseUrl: string): string {
    const url = new URL(this.#standbyUrl);
    url.pathname = new URL(databaseUrl).pathname;
    return url.href;
  }

  /**
   * Waits until the standby shows all that the leader has written.
   *
   * @throws {ProgramError} if that takes too long
   */
  async untilReplayed(): Promise<void> {
    const { rows } = await this.#clients.leader.query<{ place: string }>(
      'SELECT pg_current_wal_lsn() AS place',
    );
    const isReplayed = async () => {
      const answer = await this.#clients.standby.query<{ replayed: boolean }>(
        'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS replayed',
        [rows[0]?.place],
      );
      return answer.rows[0]?.replayed === true;
    };
    const deadline = performance.now() + patienceMs;
    while (!(await isReplayed())) {
      if (performance.now() > deadline)
        throw new ProgramError(
          `The standby is behind its leader after ${patienceMs / 1_000} s: has it stopped?`,
        );
      await pause(watchMs);
    }
  }
}
