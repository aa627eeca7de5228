import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Statement } from './database.js';

/** A place in the leader's WAL, at or behind all that is acknowledged. */
export interface Position {
  readonly lsn: string;
  readonly timeline: number;
}

/** Milliseconds. */
const patience = { replay: 100, poll: 3 };

/** Without synchronous_commit, PostgreSQL acknowledges what it has not flushed. Only that is streamed. */
export const position: Statement = {
  name: 'position',
  text: `SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
                ELSE pg_current_wal_flush_lsn() END AS lsn,
                ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline`,
  reads: true,
};

/** The control file's timeline may be older. Another is shown to members of pg_read_all_stats only. */
const progress = `SELECT pg_is_in_recovery() AND $2 = coalesce(
                           (SELECT received_tli FROM pg_stat_wal_receiver),
                           (SELECT timeline_id FROM pg_control_checkpoint())) AS follows,
                         pg_last_wal_replay_lsn() >= $1::pg_lsn AS replayed`;

interface Progress {
  readonly follows: boolean;
  readonly replayed: boolean;
}

/** @throws if the replica does not follow the leader, or is far behind */
export async function untilReplayed(ask: Database['query'], [wanted]: readonly Position[]): Promise<void> {
  const values = [wanted?.lsn, wanted?.timeline];
  const question: Statement = { name: 'progress', text: progress, values, reads: true };
  const deadline = performance.now() + patience.replay;
  for (;;) {
    const [now] = (await ask<Progress & object>(question)).rows;
    if (!now?.follows) throw new Error('it does not follow the leader');
    if (now.replayed) return;
    if (performance.now() > deadline) throw new Error('it is behind the leader');
    await pause(patience.poll);
  }
}
