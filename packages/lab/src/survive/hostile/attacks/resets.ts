/**
 * Attacks with connections that are reset while the service answers: what it holds for them must be given
 * back.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../../../../contract-tools/base.js';
import type { Attack, AttackResult } from '../attack.js';
import { listPlants, openUnread } from '../exchange.js';
import { get, urlOf } from '../request.js';
import { type Attacker, attackers, type Target } from '../target.js';
import { codeOrMessage, inSeconds, tally } from '../words.js';

const connections = 150;
const listsOfEach = 3;
/**
 * The number of plants of each owner. Each has 1 KB in a list, so a list is more than the 4 MB that the
 * kernel keeps of what a client has not read.
 */
const plants = 6_000;
const latestResetMs = 20;
const connectMs = 5_000;
const patienceMs = 30_000;
/** Each owner must read these afterwards. */
const whole = `200 with ${plants} plants`;
const betweenMs = 200;

export const resetAttacks: readonly Attack[] = [
  {
    name: `${listsOfEach} pipelined \`GET /plants\` and a reset within ${latestResetMs} ms, on ${connections} connections of ${attackers} owners`,
    promise: `each of these owners reads a whole list of ${plants} plants within ${patienceMs / 1_000} s`,
    carryOut,
  },
];

async function carryOut(target: Target): Promise<AttackResult> {
  await target.store(plants, target.attackers);
  await Promise.all(
    Array.from({ length: connections }, (_, number) =>
      resetSoon(target.port, target.attackers[number % attackers] ?? target.attacker, number % latestResetMs),
    ),
  );
  const begin = performance.now();
  const results = await Promise.all(target.attackers.map((owner) => listUntilServed(target.port, owner)));
  const took = performance.now() - begin;
  return {
    saw: `afterwards, the owners' lists: ${tally(results)}, within ${inSeconds(took)}`,
    isAsPromised: results.every((result) => result === whole),
  };
}

async function resetSoon(port: number, owner: Attacker, afterMs: number): Promise<void> {
  const socket = openUnread(port);
  const isConnected = await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) }).then(
    () => true,
    () => false,
  );
  // A server that this attack has ended, or that accepts nobody, is noticed afterwards.
  if (!isConnected) {
    socket.destroy();
    return;
  }
  socket.write(listPlants(owner).repeat(listsOfEach));
  await pause(afterMs);
  socket.resetAndDestroy();
}

/**
 * Asks for the list until it is served.
 *
 * @returns the last status and list, or why there is none
 */
async function listUntilServed(port: number, owner: Attacker): Promise<string> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const result = await list(port, owner, deadline - performance.now()).catch(codeOrMessage);
    if (result !== '503' || performance.now() > deadline) return result;
    await pause(betweenMs);
  }
}

/** @throws {Error} if no whole answer comes in time */
async function list(port: number, owner: Attacker, withinMs: number): Promise<string> {
  const connection = await Connection.open(urlOf(port), withinMs);
  try {
    const { status, body } = await connection.exchange(get('/plants', owner.token), urlOf(port));
    if (status !== 200) return String(status);
    const read: unknown = JSON.parse(body.toString());
    return `200 with ${Array.isArray(read) ? read.length : 'no'} plants`;
  } finally {
    connection.close();
  }
}
