import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Outcome } from '../attack.js';
import { exchange, headOf, listPlants, openUnread } from '../exchange.js';
import { type Attacker, attackers, type Target } from '../target.js';
import { inSeconds, tally } from '../words.js';

const connections = 150;
const listsOfEach = 3;
/** Of 1 KB each: more than the 4 MB that the kernel keeps of what a connection has not read. */
const plants = 6_000;
const latestResetMs = 20;
const patienceMs = 30_000;
const betweenMs = 200;

export const resetAttacks: readonly Attack[] = [
  {
    name: `${listsOfEach} pipelined \`GET /plants\` and a reset within ${latestResetMs} ms, on ${connections} connections of ${attackers} owners`,
    promise: `each of these owners reads a long list within ${patienceMs / 1_000} s`,
    carryOut,
  },
];

async function carryOut(target: Target): Promise<Outcome> {
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
    isAsPromised: results.every((result) => result === '200'),
  };
}

async function resetSoon(port: number, owner: Attacker, afterMs: number): Promise<void> {
  const socket = openUnread(port);
  // A server that this attack has ended is noticed afterwards.
  await once(socket, 'connect').catch(() => {});
  socket.write(listPlants(owner).repeat(listsOfEach));
  await pause(afterMs);
  socket.resetAndDestroy();
}

/** A client that is refused comes again. @returns its last status, or why it has none */
async function listUntilServed(port: number, owner: Attacker): Promise<string> {
  const bytes = `${headOf('GET /plants HTTP/1.1', owner, 'Connection: close')}\r\n`;
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const ending = await exchange(port, bytes, Math.max(0, deadline - performance.now()));
    if (ending.end !== 'closed') return `no whole answer (${ending.end})`;
    if (ending.statuses[0] !== 503) return String(ending.statuses[0] ?? 'closed unanswered');
    await pause(betweenMs);
  }
}
