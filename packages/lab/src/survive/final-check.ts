/** Checks at the end of a run that what was acknowledged long ago is still there. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Credential } from '../../../contract-tools/index.js';
import type { Anomaly } from './anomaly.js';
import type { Client } from './client.js';
import { wordsFor } from './history.js';
import { readList } from './lists.js';
import { itemsIn } from './owner.js';
import { absent } from './register.js';

/** An owner for whom no client works any more, and the versions that each of its ids may hold. */
export interface RetiredOwner {
  readonly name: string;
  readonly token: Credential;
  readonly possible: ReadonlyMap<bigint, readonly number[]>;
}

const tries = 100;
const pauseMs = 200;

/**
 * Lists the items of an owner until that succeeds, and compares them with what they can be.
 *
 * @returns what is wrong; that the owner cannot be listed, too
 */
export async function checkInTheEnd(
  client: Client,
  { name, token, possible }: RetiredOwner,
): Promise<Anomaly[]> {
  for (let left = tries; left > 0; left--) {
    const reply = await client.list(token);
    const items = itemsIn(client.subject, reply);
    if (items === undefined) {
      await pause(pauseMs);
      continue;
    }
    const { list, anomalies } = readList(name, possible, { ...reply, limit: undefined, items });
    for (const [id, states] of possible) {
      const version = list.versions.get(id) ?? absent;
      if (states.includes(version)) continue;
      const again = states.every((state) => state === absent);
      anomalies.push({
        harm: version === absent ? 'lost' : again ? 'doubled' : 'wrong',
        text: `${name}: id ${id} could only be ${wordsFor(states)}, but is ${wordsFor([version])} in the end`,
      });
    }
    return anomalies;
  }
  return [{ harm: 'lost', text: `${name}: cannot be listed in the end` }];
}
