/** Tries what operations mean together, collection by collection. */
import { probeActions } from './actions.js';
import { probeBulkCreates } from './bulk-creates.js';
import { probeConditions } from './conditions.js';
import { tryOwners } from './exact-store/owners.js';
import { probeSequences } from './exact-store/sequences.js';
import { probeIsolation } from './isolation.js';
import { probeItemIds } from './item-ids.js';
import { probeListParameters } from './list-parameters.js';
import { checkDeletes, probeLists } from './lists.js';
import { probeLocation } from './location.js';
import { probePages } from './pages.js';
import { probeParents } from './parents.js';
import type { ProbeRun } from './probe-run.js';
import { probePutCreates } from './put-creates.js';
import { probeUpdates } from './updates.js';

/** @throws {CannotCheckError} if the two tokens are known to belong to one owner */
export async function requireTwoOwners({ meaning }: ProbeRun): Promise<void> {
  for (const { client, owners } of meaning.collections) await tryOwners(client, owners);
}

/** Tries what needs few requests, before the many. */
export async function probeEarly(run: ProbeRun): Promise<void> {
  for (const { client, known } of run.meaning.collections) {
    await probeIsolation(run, client, known.length > 1);
    await probeActions(run, client, known.length > 1);
    await probeParents(run, client);
    await probeLocation(run, client);
    await probePutCreates(run, client);
    await probeItemIds(run, client, known.length > 1);
    await probeBulkCreates(run, client);
    await probeConditions(run, client);
    await probeUpdates(run, client);
    await probePages(run, client);
    await probeListParameters(run, client);
  }
}

/** Tries long lists, deletes and sequences, after which nothing of the run needs its items any more. */
export async function probeWholeLife(run: ProbeRun): Promise<void> {
  for (const { client, owners } of run.meaning.collections) {
    await probeLists(run, client, owners);
    await checkDeletes(run, client, owners);
    await probeSequences(run, client, owners);
  }
}
