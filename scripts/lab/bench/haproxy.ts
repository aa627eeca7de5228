/**
 * Measures what HAProxy costs, and what a second process gains: one process alone, one behind HAProxy, and
 * two behind it.
 */
import { existsSync } from 'node:fs';
import { haproxyProgram, startHaproxy } from '../../kit/haproxy.js';
import { Server } from '../../kit/server.js';
import { service } from './contestants.js';
import { BenchDatabase } from './database.js';
import { kinds } from './peers.js';
import { measureQuietOwner } from './quiet-owner.js';
import { figureOf, inRounds, type Measured } from './rounds.js';
import { type Session, storedPlants, warmUp } from './session.js';
import { unusedIds } from './wrk.js';

const connections = 64;
/** docs/operations/haproxy.cfg allows an address 1,000 connections. */
const greedyConnections = 900;
/** More deletes than one process manages in a second. */
const deletesPerSecond = 40_000;
const ports = { ADMIN_PORT: '0' };

export const balanced = 'balanced';
export const balancedTwice = 'balanced-2';

/** @returns no figures if HAProxy is not on this machine, which `missing` then says */
export async function measureHaproxy(session: Session): Promise<Measured[]> {
  const { cleanup, missing, options, postgres, progress, send } = session;
  if (!existsSync(haproxyProgram)) {
    missing.push('haproxy: It is not on this machine (Debian: haproxy).');
    return [];
  }
  progress.show('starting the service twice, and HAProxy');
  const database = await BenchDatabase.create(postgres);
  const servers: Server[] = [];
  for (let count = 0; count < 2; count++) {
    const server = await Server.start(cleanup, service.command, database.url, ports);
    await warmUp(session, server.address, database);
    servers.push(server);
  }
  const [first] = servers;
  const behind = async (count: number) => {
    const replicas = servers.slice(0, count);
    const checked = replicas.map(({ adminAddress = '' }) => portOf(adminAddress));
    const { port } = await startHaproxy(
      cleanup,
      replicas.map(({ address }) => portOf(address)),
      checked,
    );
    return `http://127.0.0.1:${port}`;
  };
  const deployments = [
    { name: service.name, title: 'one process', address: first?.address ?? '', database },
    { name: balanced, title: 'one process behind HAProxy', address: await behind(1), database },
    { name: balancedTwice, title: 'two processes behind HAProxy', address: await behind(2), database },
  ];
  const measured: Measured[] = [];
  for (const { kind, name, title } of kinds) {
    const stored = {
      create: 0,
      delete: options.seconds * deletesPerSecond,
      page: storedPlants,
      mix: storedPlants,
    };
    const entrants = deployments.map(({ name, title, address }) => ({
      name,
      title,
      prepare: () => database.fill(stored[kind]),
      measure: () =>
        send(address, {
          kind,
          connections,
          seconds: options.seconds,
          firstId: kind === 'delete' ? 1 : unusedIds(),
          tokens: database.tokens,
        }),
    }));
    const steps = [await inRounds(session, `${title} behind HAProxy`, connections, entrants)];
    const about = { name: `${name}-behind`, title: `${title} a second`, axis: 'connections' };
    measured.push(figureOf(about, steps, ({ perSecond }) => perSecond));
  }
  const quiet = deployments.filter(({ name }) => name === balanced);
  measured.push(
    ...(await measureQuietOwner(session, 'quiet-behind', 'behind HAProxy', greedyConnections, quiet)),
  );
  await Promise.all(servers.map((server) => server.stop()));
  return measured;
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}
