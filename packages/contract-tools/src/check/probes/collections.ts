/**
 * Tries what operations mean together, collection by collection. Each probe is a row of a table, and what they have in
 * common is decided here: a probe is run if its rule is on, if the document has what it tries, and if the checker can make
 * items there. Otherwise, a note says why nothing was tried.
 */
import type { RuleName } from '../../document/rule-table.js';
import { operationsOf } from '../../resources/shape.js';
import { freshKeyOf } from '../requests/request.js';
import { bulkOf } from '../resources/bulk-operations.js';
import type { ResourceClient } from '../resources/client.js';
import type { ResourceMeaning } from '../resources/resource-meaning.js';
import { actionsOn, probeActions } from './actions.js';
import { probeBulkCreates } from './bulk-creates.js';
import { hasConditions, probeConditions } from './conditions.js';
import { tryOwners } from './exact-store/owners.js';
import { probeSequences } from './exact-store/sequences.js';
import { attacksOn, probeIsolation } from './isolation.js';
import { probeItemIds } from './item-ids.js';
import { probeListParameters } from './list-parameters.js';
import { checkDeletes, probeLists } from './lists.js';
import { probeLocation } from './location.js';
import { probePages } from './pages.js';
import { probeParents } from './parents.js';
import type { ProbeRun } from './probe-run.js';
import { probePutCreates } from './put-creates.js';
import { probeRetries } from './retries.js';
import { probeUpdates } from './updates.js';

/** Requests of one kind with the items of a collection. */
interface Probe {
  /** What the report calls it, before the path of a collection. */
  readonly title: string;
  /** The rule under which it is tried; by default under any. */
  readonly rule?: RuleName;
  /** Whether the document has something of this kind there; by default it has. */
  isFor?(client: ResourceClient, run: ProbeRun): boolean;
  /** Why it cannot be tried, although the checker can make items. */
  whyNot?(part: ResourceMeaning, run: ProbeRun): string | undefined;
  run(run: ProbeRun, client: ResourceClient, part: ResourceMeaning): Promise<void>;
}

const isListed = ({ exactStore, resource: { list } }: ResourceClient): boolean =>
  list !== undefined && exactStore === undefined;
const choosesIds = ({ resource: { id } }: ResourceClient): boolean => id.in === 'request' || id.in === 'path';
/** If the client chooses the id, a create that is sent again is one with an id that is taken. */
const takesKeys = ({ resource: { create, id } }: ResourceClient): boolean =>
  freshKeyOf(create) !== undefined && id.in !== 'request' && id.in !== 'path';
const makesMany = (client: ResourceClient, { description }: ProbeRun): boolean =>
  description.operations.some((operation) => bulkOf(client, operation));

const probes: Readonly<Record<'early' | 'late', readonly Probe[]>> = {
  early: [
    { title: 'Actions', rule: 'actions', isFor: hasActions, run: probeActions },
    { title: 'Isolation', rule: 'isolation', isFor: isSecured, whyNot: whyNotIsolated, run: probeIsolation },
    { title: 'References', isFor: ({ surroundings }) => surroundings.needs.length > 0, run: probeParents },
    { title: 'Location', run: probeLocation },
    { title: 'PUT of new items', isFor: ({ resource: { id } }) => id.in === 'path', run: probePutCreates },
    { title: 'Taken ids', isFor: choosesIds, run: probeItemIds },
    { title: 'Many at once', rule: 'bulk', isFor: makesMany, run: probeBulkCreates },
    { title: 'Retries', rule: 'retries', isFor: takesKeys, run: probeRetries },
    { title: 'Conditions', rule: 'conditions', isFor: hasConditions, run: probeConditions },
    { title: 'Updates', rule: 'updates', isFor: ({ resource: { get } }) => !!get, run: probeUpdates },
    { title: 'Pages', rule: 'pages', isFor: isListed, whyNot: whyNotTold, run: probePages },
    { title: 'Filters, orders and lengths', isFor: isListed, run: probeListParameters },
  ],
  /** Nothing of the run needs its items after these. */
  late: [
    { title: 'Long lists', isFor: ({ resource: { list } }) => list !== undefined, run: probeLists },
    { title: 'Deletes', isFor: ({ resource: { remove } }) => remove !== undefined, run: checkDeletes },
    { title: 'Sequences', isFor: ({ exactStore }) => exactStore !== undefined, run: probeSequences },
  ],
};

/** @throws {CannotCheckError} if the two tokens are known to belong to one owner */
export async function requireTwoOwners({ meaning }: ProbeRun): Promise<void> {
  for (const { client, owners } of meaning.collections) await tryOwners(client, owners);
}

export async function probeCollections(run: ProbeRun, phase: keyof typeof probes): Promise<void> {
  for (const part of run.meaning.collections) {
    const { client } = part;
    const untried = new Map<string, Set<string>>();
    for (const { title, rule, isFor, whyNot, run: probe } of probes[phase]) {
      const isOn = rule === undefined || client.rules.on.has(rule);
      if (!isOn || isFor?.(client, run) === false) continue;
      const why = client.obstacle ?? whyNot?.(part, run);
      if (why === undefined) await probe(run, client, part);
      else untried.set(why, (untried.get(why) ?? new Set()).add(title));
    }
    for (const [why, titles] of untried) {
      const names = [...titles].join(', ');
      client.note(`${names} of ${client.resource.collectionPath}: not tried, because ${why}.`);
    }
  }
}

function isSecured(client: ResourceClient, run: ProbeRun): boolean {
  return attacksOn(client, run).length > 0;
}

function hasActions(client: ResourceClient, run: ProbeRun): boolean {
  return actionsOn(run, client).length > 0;
}

function whyNotIsolated({ client, known }: ResourceMeaning, run: ProbeRun): string | undefined {
  const isOpen = attacksOn(client, run).every(({ operation }) => operation.anonymous);
  if (known.length > 1) return isOpen ? 'nothing of it needs a token' : undefined;
  const { second } = run.accounts;
  const unmet = operationsOf(client.resource).find((operation) => !second.mayCall(operation));
  return unmet === undefined
    ? 'whoever makes its items shows no credentials'
    : `it needs ${second.lacks(unmet)}, which is not set`;
}

function whyNotTold({ client: { reader, resource } }: ResourceMeaning): string | undefined {
  return reader.tellsItems ? undefined : `the items of ${resource.list?.id} cannot be told apart`;
}
