/** Runs `npm run survive -- --hostile`: carries out each attack once, and says what came of it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from '../../../../contract-tools/base.js';
import { type Command, migrate, storeTokens } from '../../../../kit/index.js';
import { Postgres } from '../postgres.js';
import type { Attack } from './attack.js';
import { endingAttacks } from './attacks/ending.js';
import { messageAttacks } from './attacks/messages.js';
import { probeAttacks } from './attacks/probes.js';
import { resetAttacks } from './attacks/resets.js';
import { beginToCreate, type Creates } from './other-owner.js';
import { ownersOfAttack, Target } from './target.js';

export const attacks: readonly Attack[] = [
  ...messageAttacks,
  ...resetAttacks,
  ...probeAttacks,
  ...endingAttacks,
];

interface Options {
  readonly command: Command;
  readonly attacks: readonly Attack[];
  readonly onProgress: (text: string) => void;
}

/** What came of an attack. */
export interface Result {
  readonly attack: Attack;
  readonly saw: string;
  /** The creates of the other owner; undefined if the attack ends the server. */
  readonly creates: Creates | undefined;
  readonly isAsPromised: boolean;
}

const databaseConnections = 100;
/** How long another owner may wait for a create. */
const maxCreateMs = 5_000;
/** How long the other owner goes on after an attack. */
const afterMs = 1_000;

/**
 * The service must have been compiled: its program makes the tables, whatever server is attacked.
 *
 * @throws {ProgramError} if the service does not start
 */
export async function attackAll(
  { command, attacks, onProgress }: Options,
  cleanup: Scope,
): Promise<Result[]> {
  onProgress('starting PostgreSQL');
  const postgres = await Postgres.start(cleanup, databaseConnections);
  await migrate(cleanup, postgres.url);
  const tokens = await storeTokens(postgres.url, ownersOfAttack * attacks.length);
  const results: Result[] = [];
  for (const [number, attack] of attacks.entries()) {
    onProgress(attack.name);
    const first = ownersOfAttack * number;
    const owners = tokens
      .slice(first, first + ownersOfAttack)
      .map((token, at) => ({ name: `owner-${first + at}`, token }));
    const target = await Target.start(cleanup, command, postgres, owners, attack.settings);
    results.push(await carryOut(attack, target));
    await target.stop();
  }
  return results;
}

async function carryOut(attack: Attack, target: Target): Promise<Result> {
  if (attack.endsServer) return { attack, creates: undefined, ...(await attack.carryOut(target)) };
  const stop = await beginToCreate(target.port, target.otherToken);
  const outcome = await attack.carryOut(target);
  await pause(afterMs);
  const creates = await stop();
  const isThere = await target.isRunning();
  const { answered, failed, longestMs } = creates;
  const isServed = answered > 0 && failed.length === 0 && longestMs < maxCreateMs;
  return {
    attack,
    creates,
    saw: isThere ? outcome.saw : `${outcome.saw}; the process ended`,
    isAsPromised: outcome.isAsPromised && isServed && isThere,
  };
}
