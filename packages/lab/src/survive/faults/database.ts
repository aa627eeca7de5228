/** Faults of PostgreSQL that leave it running: locks, no free connection, read-only, a full disk. */

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Postgres } from '../postgres.js';
import { cannotFill } from '../small-disk.js';
import type { InjectedFault } from './injected-fault.js';

/** Longer than the service waits for a statement. */
const longLockMs = 10_000;
const shortMs = 2_000;
const watchMs = 2;
const takersAtOnce = 16;

const lockTable = (table: string) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`;
/** Locks a tenth of the rows. TABLESAMPLE would take pages, and mostly miss the rows that clients use. */
const lockRows = (table: string) => `SELECT FROM ${table} WHERE hashint8(id) % 10 = 0 FOR UPDATE`;

export const databaseFaults: readonly InjectedFault[] = [
  locking('a tenth of the rows is locked', lockRows, shortMs),
  { ...locking('a tenth of the rows is locked', lockRows, longLockMs), slow: true },
  locking('the table is locked', lockTable, shortMs),
  { ...locking('the table is locked', lockTable, longLockMs), slow: true },
  {
    name: `others take all connections for ${shortMs / 1_000} s`,
    inject: ({ postgres }) => exhaust(postgres),
  },
  {
    name: `the database is read-only for ${shortMs / 1_000} s`,
    async inject({ postgres }) {
      await setReadOnly(postgres, 'on');
      await pause(shortMs);
      await setReadOnly(postgres, 'off');
    },
  },
  {
    name: `the disk is full for ${shortMs / 1_000} s`,
    missing: ({ postgres }) => (postgres.disk.resize ? undefined : cannotFill),
    async inject({ postgres: { disk } }) {
      await disk.resize?.(true);
      await pause(shortMs);
      await disk.resize?.(false);
    },
  },
];

function locking(name: string, statement: (table: string) => string, milliseconds: number): InjectedFault {
  return {
    name: `${name} for ${milliseconds / 1_000} s`,
    inject: ({ postgres, subject }) =>
      postgres.asAdmin(async (admin) => {
        await admin.query(`BEGIN; ${statement(subject.table)}`);
        await pause(milliseconds);
        await admin.query('ROLLBACK');
      }),
  };
}

/** Ends the service's connections, and takes all those that PostgreSQL has. */
async function exhaust(postgres: Postgres): Promise<void> {
  const taken: pg.Client[] = [];
  const until = performance.now() + shortMs;
  const takeAll = async (): Promise<void> => {
    while (performance.now() < until) {
      const client = new pg.Client({ connectionString: postgres.url });
      client.on('error', () => {});
      await client.connect().then(
        () => taken.push(client),
        // No connection is left for the moment.
        () => pause(watchMs),
      );
    }
  };
  const others = await postgres.backends();
  await postgres.asAdmin(async (admin) => {
    const taking = Promise.all(Array.from({ length: takersAtOnce }, takeAll));
    await admin.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [others]);
    await taking;
  });
  await Promise.all(taken.map((client) => client.end().catch(() => {})));
}

async function setReadOnly(postgres: Postgres, value: 'on' | 'off'): Promise<void> {
  await postgres.asAdmin(async (admin) => {
    await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await admin.query('SELECT pg_reload_conf()');
  });
}
