/** Creates with a network between the contestant and PostgreSQL. */
import { join } from 'node:path';
import pg from 'pg';
import { type LoadResult, unusedIds } from '../../../kit/load.js';
import { Server } from '../../../kit/server.js';
import { service } from '../contestants.js';
import { loadMeasures } from '../loads.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds } from '../rounds.js';
import { owners, type Running, type Session, withContestants } from '../session.js';
import { summarize } from '../statistics.js';

/** How much later each statement arrives. */
const delaysMs = [1, 5, 20];
const connectionCounts = [64, 256];
const program = join('dist', 'scripts', 'lab', 'bench', 'network', 'delaying-proxy.js');

export async function measureNetwork(session: Session): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const delayMs of delaysMs) measured.push(...(await measureThrough(session, delayMs)));
  return measured;
}

/** Measures with one network. All of them at once would need more connections than PostgreSQL has. */
async function measureThrough(session: Session, delayMs: number): Promise<Measured[]> {
  const { cleanup, options } = session;
  const proxies: Server[] = [];
  const between = async (databaseUrl: string) => {
    const command = { file: process.execPath, parameters: [program, String(delayMs)] };
    const proxy = await Server.start(cleanup, command, databaseUrl);
    proxies.push(proxy);
    return proxy.address;
  };
  const measured = await withContestants(session, { only: [service.name, 'go'], between }, async (all) => {
    const title = `Creates through ${delayMs} ms of network (${await roundTrip(proxies)} in truth)`;
    const counts = options.connections ?? connectionCounts;
    const entrants = counts.flatMap((count) => all.map((running) => entrantOf(session, running, count)));
    const measurements = await inRounds(title, entrants, session);
    return loadMeasures(`creates-through-${delayMs}-ms`, title, measurements, 'connections');
  });
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  return measured;
}

function entrantOf(
  { options, send, tokens }: Session,
  { contestant: { name, title }, server, database }: Running,
  connections: number,
): Entrant<LoadResult> {
  const load = (seconds: number) =>
    send(server.address, { kind: 'create', connections, seconds, firstId: unusedIds(), tokens });
  return {
    name,
    title,
    at: connections,
    prepare: () => database.fill(0, owners),
    measure: () => load(options.seconds),
    warmUp: () => load(options.warmUpSeconds),
  };
}

/** The time that an empty query takes through such a proxy. */
async function roundTrip([proxy]: readonly Server[]): Promise<string> {
  const client = new pg.Client({ connectionString: proxy?.address });
  await client.connect();
  const times: number[] = [];
  for (let count = 0; count < 50; count++) {
    const begin = performance.now();
    await client.query('');
    times.push(performance.now() - begin);
  }
  await client.end();
  return `${summarize(times)?.median.toFixed(1)} ms`;
}
