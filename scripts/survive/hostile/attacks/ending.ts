/** The end of the process, while clients are at work. */
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../../check/connection.js';
import type { Attack, Outcome } from '../attack.js';
import { create, urlOf } from '../request.js';
import { attackers, type Target } from '../target.js';
import { reasonOf, tally } from '../words.js';

const clients = 48;
const busyMs = 1_000;
const patienceMs = 20_000;
/** Of each client; others do not use them. */
const idsOfEach = 1_000_000;

export const endingAttacks: readonly Attack[] = [
  {
    name: `SIGTERM, while ${clients} clients create on connections that they keep`,
    promise: 'no request fails',
    endsServer: true,
    settings: { DRAIN_SECONDS: '2' },
    carryOut,
  },
];

async function carryOut(target: Target): Promise<Outcome> {
  const results: string[] = [];
  const working = Promise.all(
    Array.from({ length: clients }, (_, number) => createUntilToldToClose(target, number, results)),
  );
  await pause(busyMs);
  target.askToEnd();
  await Promise.race([Promise.all([working, target.ended]), pause(patienceMs, undefined, { ref: false })]);
  const failed = results.filter((result) => result !== '200');
  return {
    saw:
      failed.length === 0
        ? `none of ${results.length} requests failed`
        : `${failed.length} of ${results.length} requests failed: ${tally(failed)}`,
    isAsPromised: failed.length === 0,
  };
}

/** As behind a load balancer: after "Connection: close", the client's next request goes to another server. */
async function createUntilToldToClose(target: Target, number: number, results: string[]): Promise<void> {
  const { token } = target.attackers[number % attackers] ?? target.attacker;
  const url = urlOf(target.port);
  const connection = await Connection.open(url);
  try {
    for (let id = number * idsOfEach; connection.open; id++) {
      const { status, reusable } = await connection.exchange(create(id, token), url);
      results.push(String(status));
      if (!reusable) return;
    }
  } catch (error) {
    results.push(reasonOf(error));
  } finally {
    connection.close();
  }
}
