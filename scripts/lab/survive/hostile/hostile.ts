/** `npm run survive -- --hostile` carries out each attack once, and says what came of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { plantParts } from '../../../../src/parts.js';
import { migrate } from '../../../../src/postgres/migrations.js';
import type { Scope } from '../../../kit/scope.js';
import type { Command } from '../../../kit/server.js';
import { Postgres } from '../postgres.js';
import { storeTokens } from '../tokens.js';
import type { Attack } from './attack.js';
import { bodyAttacks } from './attacks/bodies.js';
import { endingAttacks } from './attacks/ending.js';
import { messageAttacks } from './attacks/messages.js';
import { probeAttacks } from './attacks/probes.js';
import { readerAttacks } from './attacks/readers.js';
import { resetAttacks } from './attacks/resets.js';
import { type Creates, OtherOwners } from './other-owner.js';
import { ownersOfAttack, Target } from './target.js';

export const attacks: readonly Attack[] = [
  ...messageAttacks,
  ...bodyAttacks,
  ...resetAttacks,
  ...readerAttacks,
  ...probeAttacks,
  ...endingAttacks,
];

export interface Options {
  readonly command: Command;
  /** Whether the plain server is attacked, which has promised nothing. */
  readonly isPlain: boolean;
  readonly attacks: readonly Attack[];
  readonly onProgress: (text: string) => void;
}

export interface Result {
  readonly attack: Attack;
  readonly saw: string;
  /**
   * The creates of the other owner; undefined if the attack ends the server, or the server lacks what is
   * attacked.
   */
  readonly creates: Creates | undefined;
  readonly isAsPromised: boolean;
}

/** The connections of all processes that slow attacks need at the same time. */
const databaseConnections = 250;
/** How long another owner may wait for a create. */
const maxCreateMs = 5_000;
/** How long the other owner goes on after an attack. */
const afterMs = 1_000;

export async function attackAll(options: Options, cleanup: Scope): Promise<Result[]> {
  const { command, isPlain, onProgress } = options;
  onProgress('starting PostgreSQL');
  const postgres = await Postgres.start(cleanup, databaseConnections);
  await migrate(postgres.url, plantParts.migrationFolders);
  const tokens = await storeTokens(postgres, ownersOfAttack * options.attacks.length);
  const others = new OtherOwners();
  cleanup.teardown(() => others.stop());
  const open = (attack: Attack) => {
    const first = ownersOfAttack * options.attacks.indexOf(attack);
    const owners = tokens
      .slice(first, first + ownersOfAttack)
      .map((token, at) => ({ name: `owner-${first + at}`, token }));
    return Target.start(cleanup, command, postgres, attack, owners);
  };
  const possible = options.attacks.filter((attack) => !isPlain || attack.plainHasNo === undefined);
  const results = new Map<Attack, Result>();
  for (const attack of possible.filter(({ isSlow }) => !isSlow)) {
    onProgress(attack.name);
    results.set(attack, await carryOut(attack, await open(attack), others));
  }
  onProgress('what takes longest, all at the same time');
  const slow = possible.filter(({ isSlow }) => isSlow);
  const targets: [Attack, Target][] = [];
  for (const attack of slow) targets.push([attack, await open(attack)]);
  await Promise.all(
    targets.map(async ([attack, target]) => results.set(attack, await carryOut(attack, target, others))),
  );
  return options.attacks.map((attack) => results.get(attack) ?? impossible(attack));
}

async function carryOut(attack: Attack, target: Target, others: OtherOwners): Promise<Result> {
  if (attack.endsServer) {
    const outcome = await attack.carryOut(target);
    await target.stop();
    return { attack, creates: undefined, ...outcome };
  }
  const stop = await others.begin(target.port, target.otherToken);
  const outcome = await attack.carryOut(target);
  await pause(afterMs);
  const creates = await stop();
  const isThere = await target.isRunning();
  await target.stop();
  const { answered, failed, longestMs } = creates;
  const isServed = answered > 0 && failed.length === 0 && longestMs < maxCreateMs;
  return {
    attack,
    creates,
    saw: isThere ? outcome.saw : `${outcome.saw}; the process ended`,
    isAsPromised: outcome.isAsPromised && isServed && isThere,
  };
}

function impossible(attack: Attack): Result {
  return { attack, saw: `has no \`${attack.plainHasNo}\``, creates: undefined, isAsPromised: true };
}
