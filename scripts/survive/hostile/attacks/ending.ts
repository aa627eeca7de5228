/** The end of the process, while clients are at work. */
import { setTimeout as pause } from 'node:timers/promises';
import { UnreachableError } from '../../../check/connection.js';
import type { Attack, Outcome } from '../attack.js';
import { Client, create } from '../request.js';
import { attackers, type Target } from '../target.js';
import { reasonOf, tally } from '../words.js';

const clients = 48;
const busyMs = 1_000;
const patienceMs = 20_000;
/** Of each client. */
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
    Array.from({ length: clients }, (_, number) => createUntilTheEnd(target, number, results)),
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

/** Nobody can connect any more: that is the end, and no request has failed by it. */
async function createUntilTheEnd(target: Target, number: number, results: string[]): Promise<void> {
  const { token } = target.attackers[number % attackers] ?? target.attacker;
  const client = new Client(target.port);
  for (let id = number * idsOfEach; ; id++) {
    try {
      results.push(String(await client.ask(create(id, token))));
    } catch (error) {
      if (error instanceof UnreachableError) return;
      results.push(reasonOf(error));
    }
  }
}
