/** Attacks by clients that do not read their answers. */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, AttackResult } from '../attack.js';
import { listPlants, openUnread } from '../exchange.js';
import type { Target } from '../target.js';
import { inSeconds } from '../words.js';

const many = { connections: 20, listsOfEach: 400, plants: 100, maxMegabytes: 512 };
/** How long the memory must not have grown, and how long to wait for that. */
const settling = { watchMs: 500, calmMs: 3_000, maxMs: 20_000 };
/** The service cuts such a client off after 60 s (docs/limits.md). */
const stalled = { plants: 20_000, promisedMs: 65_000, patienceMs: 100_000, watchMs: 100 };

export const readerAttacks: readonly Attack[] = [
  {
    name: `${many.connections} connections with ${many.listsOfEach} pipelined lists each, of which nobody reads a byte`,
    promise: `the process stays below ${many.maxMegabytes} MB`,
    carryOut: readNoLists,
  },
  {
    name: 'a list of 20 MB, of which nobody reads a byte',
    promise: `the connection is reset within ${stalled.promisedMs / 1_000} s`,
    carryOut: readNothing,
  },
];

async function readNoLists(target: Target): Promise<AttackResult> {
  await target.store(many.plants, [target.attacker]);
  const before = await target.peakMemory();
  const sockets = Array.from({ length: many.connections }, () => openUnread(target.port));
  for (const socket of sockets) socket.write(listPlants(target.attacker).repeat(many.listsOfEach));
  const peak = await settledPeak(target);
  for (const socket of sockets) socket.destroy();
  return {
    saw: `the process has ${before} MB before, and ${peak} MB at most`,
    isAsPromised: peak < many.maxMegabytes,
  };
}

async function settledPeak(target: Target): Promise<number> {
  const begin = performance.now();
  let [peak, since] = [await target.peakMemory(), begin];
  while (performance.now() - since < settling.calmMs && performance.now() - begin < settling.maxMs) {
    await pause(settling.watchMs);
    const now = await target.peakMemory();
    if (now > peak) [peak, since] = [now, performance.now()];
  }
  return peak;
}

async function readNothing(target: Target): Promise<AttackResult> {
  await target.store(stalled.plants, [target.attacker]);
  const socket = openUnread(target.port);
  socket.write(listPlants(target.attacker));
  const begin = performance.now();
  await pause(stalled.watchMs);
  let isOpen = true;
  while (isOpen && performance.now() - begin < stalled.patienceMs) {
    await pause(stalled.watchMs);
    isOpen = await isEstablished(socket);
  }
  const took = performance.now() - begin;
  socket.destroy();
  return {
    saw: `${isOpen ? 'still open' : 'reset'} after ${inSeconds(took)}`,
    isAsPromised: !isOpen && took < stalled.promisedMs,
  };
}

/** Node.js does not notice the end of a connection that it does not read, but Linux does (proc(5)). */
async function isEstablished({ localPort = 0 }: Socket): Promise<boolean> {
  const port = localPort.toString(16).toUpperCase().padStart(4, '0');
  const connections = await readFile('/proc/net/tcp', 'utf8');
  return new RegExp(`^ *\\d+: 0100007F:${port} 0100007F:[0-9A-F]{4} 01 `, 'm').test(connections);
}
