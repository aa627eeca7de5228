import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Statement } from './database.js';

/** A position in the leader's WAL at or after every commit that it has acknowledged. */
export interface Position {
  readonly lsn: string;
  readonly timeline: number;
}

/** Milliseconds. */
const patience = { longest: 100, poll: 3 };

/** Without synchronous_commit, PostgreSQL acknowledges what it has not flushed. Only that is streamed. */
export const position: Statement = {
  name: 'position',
  text: `SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
                ELSE pg_current_wal_flush_lsn() END AS lsn,
                ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline`,
  reads: true,
};

/** received_tli may be newer than the control file's timeline, but only pg_read_all_stats may see it. */
const progress = `SELECT pg_is_in_recovery() AND $2 = coalesce(
                           (SELECT received_tli FROM pg_stat_wal_receiver),
                           (SELECT timeline_id FROM pg_control_checkpoint())) AS follows,
                         pg_last_wal_replay_lsn() >= $1::pg_lsn AS replayed`;

interface Progress {
  readonly follows: boolean;
  readonly replayed: boolean;
}

/** @throws if the replica does not follow the leader, or is far behind */
export function untilReplayed(ask: Database['query'], [wanted]: readonly Position[]): Promise<void> {
  const values = [wanted?.lsn, wanted?.timeline];
  const question: Statement = { name: 'progress', text: progress, values, reads: true };
  return until('it is behind the leader', async () => {
    const [now] = (await ask<Progress & object>(question)).rows;
    if (!now?.follows) throw new Error('it does not follow the leader');
    return now.replayed;
  });
}

/** The first transaction that a replica does not show. */
export interface Shown {
  readonly xid: string;
}

export const lastShown: Statement = {
  name: 'last shown',
  text: 'SELECT pg_snapshot_xmax(pg_current_snapshot()) AS xid',
  reads: true,
};

/**
 * A replica shows a commit a moment before the leader acknowledges it, and the next leader may not have it.
 *
 * @throws if the leader takes long
 */
export function untilVisible(ask: Database['query'], [shown]: readonly Shown[]): Promise<void> {
  const text = 'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS visible';
  const question: Statement = { name: 'visible', text, values: [shown?.xid], reads: true };
  return until('it is ahead of the leader', async () => {
    const { rows } = await ask<{ visible: boolean }>(question);
    return rows[0]?.visible === true;
  });
}

async function until(otherwise: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patience.longest;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(otherwise);
    await pause(patience.poll);
  }
}
