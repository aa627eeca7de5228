/** What may fill the memory of the service. */
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchDatabase } from '../database.js';
import { unusedIds } from '../load.js';
import { owners, type Session } from '../session.js';
import { type Answer, bodyRequest } from '../shares/connection.js';
import { ConnectionPool } from '../shares/connection-pool.js';
import { createAtRate, connections as overloadConnections, overloads, rowMs } from '../shares/overload.js';
import { checkList, countAnswers, countLongLists, type Outcome, unknown } from './checks.js';
import { readSlowly } from './slow-readers.js';
import { leaveUnread } from './unread-lists.js';

/** The service under a load. */
export interface Target {
  readonly address: string;
  readonly adminAddress: string;
  /** The owners 1 and on. The owner 0 is the one who creates beside each load. */
  readonly tokens: readonly string[];
  readonly send: Session['send'];
  readonly seconds: number;
}

export interface MemoryLoad {
  readonly name: string;
  readonly title: string;
  prepare?(database: BenchDatabase): Promise<unknown>;
  /** Whether the contract lets the service refuse another owner's creates, too. */
  readonly mayRefuseOthers?: boolean;
  /** @throws {FailedLoadError} if the service does not answer as it shall */
  run(target: Target): Promise<Outcome>;
}

/** 1,000 bytes. */
const largeName = '🌵'.repeat(250);
const plantsOfUnread = 100;
/** 20 MB: the kernel's buffers take some megabytes of each list. */
const plantsOfSlowLists = 20_000;
const slowReaders = 100;
const slowBytes = 5_000;
const bodyConnections = 300;
/** 64 KiB, and one of the bodies that are slowest to parse. */
const largeBody = `[1${',1'.repeat(32_766)} ]`;
const documents = { requests: 5_000, connections: 50 };
const idleConnections = 5_000;
const tenfold = Math.max(...overloads);

export const loads: readonly MemoryLoad[] = [
  ...[1_000, 5_000].map(creates),
  {
    name: 'overload',
    title: `creates at ${written(tenfold)} a second over ${written(overloadConnections)} connections, ${rowMs} ms a row`,
    prepare: (database) => database.slowDown(rowMs),
    mayRefuseOthers: true,
    async run({ address, tokens, seconds }) {
      const pool = await ConnectionPool.open(address, overloadConnections);
      const rate = { perSecond: tenfold, seconds };
      const answers = await createAtRate(pool, address, tokens, rate).finally(() => pool.close());
      return countAnswers(answers, 200);
    },
  },
  ...[20, 300, 1_000].map(unreadLists),
  {
    name: 'slow-lists',
    title: `lists of ${plantsOfSlowLists / 1_000} MB over ${slowReaders} connections, read at ${slowBytes / 1_000} KB/s`,
    prepare: (database) => database.fillEach(forOthers(plantsOfSlowLists), largeName),
    async run(target) {
      const { address, adminAddress, tokens } = target;
      await checkList(`${address}/plants`, tokens[0] ?? '', plantsOfSlowLists);
      const readers = { connections: slowReaders, bytesPerSecond: slowBytes };
      return readSlowly(target, readers, () => countLongLists(adminAddress));
    },
  },
  {
    name: 'bodies',
    title: `bodies of 64 KiB of [1,1,…] over ${bodyConnections} connections`,
    run: sendBodies,
  },
  {
    name: 'documents',
    title: `${written(documents.requests)} /openapi.json with a new Host each, over ${documents.connections} connections`,
    run: readDocuments,
  },
  {
    name: 'idle',
    title: `${written(idleConnections)} idle connections`,
    run: beIdle,
  },
];

function creates(connections: number): MemoryLoad {
  return {
    name: `creates-${connections}`,
    title: `creates over ${written(connections)} connections`,
    async run({ address, tokens, send, seconds }) {
      const load = { kind: 'create', connections, seconds, tokens, mayBeRefused: 1 } as const;
      const {
        requests,
        perSecond,
        refusedPerSecond = 0,
      } = await send(address, { ...load, firstId: unusedIds() });
      const refused = Math.round((requests * refusedPerSecond) / (perSecond + refusedPerSecond));
      return { ...unknown, answers: requests - refused, refused };
    },
  };
}

function unreadLists(connections: number): MemoryLoad {
  const lists = 400;
  return {
    name: `unread-${connections}`,
    title: `${lists} unread lists of 100 KB on each of ${written(connections)} connections`,
    prepare: (database) => database.fillEach(forOthers(plantsOfUnread), largeName),
    async run(target) {
      const query = `?limit=${plantsOfUnread}`;
      await checkList(`${target.address}/plants${query}`, target.tokens[0] ?? '', plantsOfUnread);
      await leaveUnread(target, { connections, lists, query });
      return unknown;
    },
  };
}

async function sendBodies({ address, tokens, seconds }: Target): Promise<Outcome> {
  const pool = await ConnectionPool.open(address, bodyConnections);
  const request = bodyRequest(new URL(address).host, tokens[0] ?? '', largeBody);
  const end = performance.now() + seconds * 1_000;
  const answers: Answer[] = [];
  const send = async () => {
    while (performance.now() < end) answers.push(await pool.ask(request));
  };
  await Promise.all(Array.from({ length: bodyConnections }, send)).finally(() => pool.close());
  return countAnswers(answers, 400);
}

async function readDocuments({ address }: Target): Promise<Outcome> {
  const pool = await ConnectionPool.open(address, documents.connections);
  const asked = Array.from({ length: documents.requests }, (_, number) =>
    pool.ask(`GET /openapi.json HTTP/1.1\r\nHost: host-${number}.example\r\n\r\n`),
  );
  const answers = await Promise.all(asked).finally(() => pool.close());
  return countAnswers(answers, 200);
}

/** Each connection asks once: the service would close one that sends nothing after ten seconds. */
async function beIdle({ address, seconds }: Target): Promise<Outcome> {
  const pool = await ConnectionPool.open(address, idleConnections);
  const request = `GET /live HTTP/1.1\r\nHost: ${new URL(address).host}\r\n\r\n`;
  const asked = Array.from({ length: idleConnections }, () => pool.ask(request));
  await Promise.all(asked)
    .then((answers) => countAnswers(answers, 200))
    .then(() => pause(seconds * 1_000))
    .finally(() => pool.close());
  return unknown;
}

function forOthers(plants: number): number[] {
  return Array.from({ length: owners }, (_, owner) => (owner === 0 ? 0 : plants));
}

function written(count: number): string {
  return count.toLocaleString('en');
}
