/** The service as one and as several processes on one database: throughput, and whose CPU it takes. */
import { existsSync } from 'node:fs';
import { haproxyProgram, startHaproxy } from '../kit/haproxy.js';
import { service } from './contestants.js';
import { BenchDatabase } from './database.js';
import { familyCpuSeconds } from './kernel.js';
import { type Load, type LoadResult, unusedIds } from './load.js';
import { deletesPerSecond, plantsOfPages } from './measures.js';
import type { Measured } from './results.js';
import { type Entrant, inRounds, seriesOf } from './rounds.js';
import { Server } from './server.js';
import { connections, owners, type Session } from './session.js';

const titles = { create: 'Creates', delete: 'Deletes', page: 'Lists of limit=20', mix: 'Daily life' };
const counts = [1, 2];

/** CPU in milliseconds for each request. */
interface Figures extends LoadResult {
  readonly service: number;
  readonly postgres: number;
  readonly haproxy: number;
}

interface Replicas {
  readonly name: string;
  readonly title: string;
  readonly at: number;
  readonly address: string;
  readonly pids: readonly number[];
  readonly haproxy: readonly number[];
}

export function measureReplicas(kind: Load['kind']): (session: Session) => Promise<Measured[]> {
  return async (session) => {
    const database = await BenchDatabase.create(session.postgres, session.tokens);
    if (kind === 'page') await database.fill(plantsOfPages, owners);
    const { all, servers } = await startAll(session, database.url);
    const postmaster = await session.postgres.postmaster();
    const title = `${titles[kind]} by processes`;
    const entrants = all.map((replicas) => entrantOf(session, database, { replicas, kind, postmaster }));
    try {
      return toMeasured(kind, title, await inRounds(title, entrants, session));
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  };
}

async function startAll({ cleanup, missing }: Session, url: string) {
  const servers = await Promise.all(
    Array.from({ length: Math.max(...counts) }, () => Server.start(cleanup, service.command, url)),
  );
  const [first] = servers;
  if (first === undefined) throw new Error('There is no process.');
  const pidsOf = (some: readonly Server[]): number[] => some.flatMap(({ pid }) => pid ?? []);
  const alone = { name: 'alone', title: 'without a balancer', at: 1, haproxy: [], pids: pidsOf([first]) };
  const all: Replicas[] = [{ ...alone, address: first.address }];
  if (!existsSync(haproxyProgram)) {
    missing.push('haproxy: It is not on this machine (Debian: haproxy).');
    return { all, servers };
  }
  for (const at of counts) {
    const some = servers.slice(0, at);
    const ports = some.map(({ address }) => Number(new URL(address).port));
    const { port, pid } = await startHaproxy({ teardown: (end) => cleanup.add(end) }, ports);
    const address = `http://127.0.0.1:${port}`;
    const haproxy = pid === undefined ? [] : [pid];
    all.push({ name: 'balanced', title: 'behind HAProxy', at, address, pids: pidsOf(some), haproxy });
  }
  return { all, servers };
}

function entrantOf(
  { options, send, tokens }: Session,
  database: BenchDatabase,
  { replicas, kind, postmaster }: { replicas: Replicas; kind: Load['kind']; postmaster: number | undefined },
): Entrant<Figures> {
  const { name, title, at, address, pids, haproxy } = replicas;
  const postmasters = postmaster === undefined ? [] : [postmaster];
  const stored = { create: 0, delete: deletesPerSecond, page: 0, mix: plantsOfPages }[kind];
  const measure = async (seconds: number): Promise<Figures> => {
    const firstId = kind === 'delete' ? 1 : unusedIds();
    const spent = () => Promise.all([pids, postmasters, haproxy].map(familyCpuSeconds));
    const before = await spent();
    const result = await send(address, { kind, connections, seconds, firstId, tokens });
    const each = (await spent()).map(
      (after, one) => (1_000 * (after - (before[one] ?? 0))) / (result.perSecond * seconds),
    );
    const [service = 0, postgres = 0, haproxyEach = 0] = each;
    return { ...result, service, postgres, haproxy: haproxyEach };
  };
  return {
    ...{ name, title, at },
    ...(kind !== 'page' && {
      prepare: (round: number) =>
        database.fill(
          kind === 'delete' ? stored * (round > 0 ? options.seconds : options.warmUp) : stored,
          owners,
        ),
    }),
    measure: () => measure(options.seconds),
    warmUp: () => measure(options.warmUp),
  };
}

function toMeasured(
  kind: Load['kind'],
  title: string,
  measured: Parameters<typeof seriesOf<Figures>>[0],
): Measured[] {
  const common = { axis: 'processes', better: 'less', unit: 'ms' } as const;
  const name = `${kind === 'mix' ? 'mixe' : kind}s-by-processes`;
  const shares = ['service', 'postgres', 'haproxy'] as const;
  return [
    {
      ...{ ...common, name, better: 'more', unit: 'per second', title: `${title} per second` },
      series: seriesOf(measured, ({ perSecond }) => perSecond),
    },
    {
      ...common,
      name: `${name}-p99`,
      title: `${title}: latency, 99th percentile`,
      series: seriesOf(measured, ({ p99 }) => p99),
    },
    ...shares.map((share) => ({
      ...{ ...common, name: `${name}-cpu-${share}`, title: `${title}: CPU for each, ${share}` },
      series: seriesOf(measured, (figures) => figures[share]),
    })),
  ];
}
