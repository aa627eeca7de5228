/**
 * Tries what operations mean together, collection by collection. Each probe is a row of a table, and what they have in
 * common is decided here: a probe is run if its rule is on, if the document has what it tries, and if the checker can make
 * items there. Otherwise, a note says why nothing was tried.
 */
import type { Operation } from '../../document/operations.js';
import { operationsOf } from '../../resources/shape.js';
import { freshKeyOf } from '../requests/request.js';
import { bulkOf } from '../resources/bulk-operations.js';
import { actionsOn, probeActions } from './actions.js';
import { probeBulkCreates } from './bulk-creates.js';
import { hasConditions, probeConditions } from './conditions.js';
import { tryOwners } from './exact-store/owners.js';
import { probeSequences } from './exact-store/sequences.js';
import { downloadsOn, probeFiles, uploadsOn } from './files.js';
import { idListsOn, probeIdLists } from './id-lists.js';
import { attacksOn, probeIsolation } from './isolation.js';
import { probeItemIds } from './item-ids.js';
import { probeListParameters } from './list-parameters.js';
import { listTitle, probeLists } from './lists.js';
import { probeLocation } from './location.js';
import { probePages } from './pages.js';
import { probeParents, probeReferences } from './parents.js';
import type { ProbeRun } from './probe-run.js';
import { probePutCreates } from './put-creates.js';
import { probeRetries } from './retries.js';
import { type Row, Trial } from './trial.js';
import { probeUpdates } from './updates.js';

/** A row that is tried of each collection. */
interface Probe extends Row {
  /** The operation of the collection that it is about, without which nothing is tried; by default the create. */
  readonly on?: 'get' | 'list';
  /** Whether the document has something of this kind there; by default it has. */
  isFor?(trial: Trial): boolean;
  /** Why it cannot be tried, although the checker can make items. */
  whyNot?(trial: Trial): string | undefined;
  run(trial: Trial, operation: Operation): Promise<void>;
}

/** The exact store has sequences for what else a list may do. */
const isPlain = ({ client }: Trial): boolean => client.exactStore === undefined;
const choosesIds = ({ client: { resource } }: Trial): boolean =>
  resource.id.in === 'request' || resource.id.in === 'path';

export const collectionProbes: Readonly<Record<'early' | 'late', readonly Probe[]>> = {
  early: [
    {
      name: 'Actions',
      title: 'does with an item what it answers',
      rule: 'actions',
      isFor: (trial) => actionsOn(trial).length > 0,
      run: probeActions,
    },
    {
      name: 'Isolation',
      title: 'keeps what belongs to another owner from everybody else',
      rule: 'isolation',
      isFor: (trial) => attacksOn(trial).length > 0,
      whyNot: whyNotIsolated,
      run: probeIsolation,
    },
    {
      name: 'Lists of ids',
      title: 'does to no item of another owner what a list of ids asks for',
      rule: 'isolation',
      on: 'get',
      isFor: (trial) => idListsOn(trial).length > 0,
      whyNot: whyNotIsolated,
      run: probeIdLists,
    },
    {
      name: 'References',
      title: 'makes and shows nothing below a parent that nobody has',
      rule: 'parents',
      isFor: hasNeeds,
      run: probeParents,
    },
    {
      name: 'References',
      title: 'refers to nothing that belongs to another owner',
      isFor: hasNeeds,
      run: probeReferences,
    },
    { name: 'Location', title: 'tells in Location where the new item is', run: probeLocation },
    {
      name: 'PUT of new items',
      title: 'says by 201 that an item is new, and only then',
      isFor: ({ client }) => client.resource.id.in === 'path',
      run: probePutCreates,
    },
    { name: 'Taken ids', title: 'knows one item by one id', isFor: choosesIds, run: probeItemIds },
    {
      name: 'Many at once',
      title: 'says of each of many what became of it',
      rule: 'bulk',
      isFor: ({ client, run }) => run.description.operations.some((operation) => bulkOf(client, operation)),
      run: probeBulkCreates,
    },
    {
      name: 'Retries',
      title: 'makes one item for each Idempotency-Key',
      rule: 'retries',
      // If the client chooses the id, a create that is sent again is one with an id that is taken.
      isFor: (trial) => freshKeyOf(trial.client.resource.create) !== undefined && !choosesIds(trial),
      run: probeRetries,
    },
    {
      name: 'Files',
      title: 'gives back what was uploaded',
      rule: 'files',
      isFor: (trial) => uploadsOn(trial).length > 0 && downloadsOn(trial).length > 0,
      run: probeFiles,
    },
    {
      name: 'Conditions',
      title: 'keeps the conditions of RFC 9110',
      rule: 'conditions',
      on: 'get',
      isFor: hasConditions,
      run: probeConditions,
    },
    {
      name: 'Updates',
      title: 'changes what an update names, and nothing else',
      rule: 'updates',
      on: 'get',
      run: probeUpdates,
    },
    {
      name: 'Pages',
      title: 'has every item on one page, in one order',
      rule: 'pages',
      on: 'list',
      isFor: isPlain,
      whyNot: whyNotTold,
      run: probePages,
    },
    {
      name: 'Filters, orders and lengths',
      title: 'lets through a filter what fits, and nothing else',
      on: 'list',
      isFor: isPlain,
      run: probeListParameters,
    },
  ],
  /** Nothing of the run needs its items after these. */
  late: [
    { name: 'Long lists', title: listTitle, on: 'list', run: probeLists },
    {
      name: 'Sequences',
      title: 'keeps, over any sequence of requests, what was created',
      isFor: (trial) => !isPlain(trial),
      run: probeSequences,
    },
  ],
};

/** @throws {CannotCheckError} if the two tokens are known to belong to one owner */
export async function requireTwoOwners({ meaning }: ProbeRun): Promise<void> {
  for (const { client, owners } of meaning.collections) await tryOwners(client, owners);
}

export async function probeCollections(run: ProbeRun, phase: keyof typeof collectionProbes): Promise<void> {
  for (const part of run.meaning.collections) {
    const { resource, rules } = part.client;
    const untried = new Map<string, Set<string>>();
    for (const row of collectionProbes[phase]) {
      const trial = new Trial({ run, part, row });
      const operation = resource[row.on ?? 'create'];
      const isOn = row.rule === undefined || rules.on.has(row.rule);
      if (!isOn || operation === undefined || row.isFor?.(trial) === false) continue;
      const why = part.client.obstacle ?? row.whyNot?.(trial);
      if (why === undefined) await row.run(trial, operation);
      else untried.set(why, (untried.get(why) ?? new Set()).add(row.name));
    }
    for (const [why, names] of untried)
      part.client.note(`${[...names].join(', ')} of ${resource.collectionPath}: not tried, because ${why}.`);
  }
}

function hasNeeds({ client }: Trial): boolean {
  return client.surroundings.needs.length > 0;
}

function whyNotIsolated(trial: Trial): string | undefined {
  const { client, part, run } = trial;
  const isOpen = attacksOn(trial).every(({ operation }) => operation.anonymous);
  if (part.known.length > 1) return isOpen ? 'nothing of it needs a token' : undefined;
  const { second } = run.accounts;
  const unmet = operationsOf(client.resource).find((operation) => !second.mayCall(operation));
  return unmet === undefined
    ? 'whoever makes its items shows no credentials'
    : `it needs ${second.lacks(unmet)}, which is not set`;
}

function whyNotTold({ client: { reader, resource } }: Trial): string | undefined {
  return reader.tellsItems ? undefined : `the items of ${resource.list?.id} cannot be told apart`;
}
