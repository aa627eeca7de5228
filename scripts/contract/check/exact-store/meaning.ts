/**
 * Resources that are stored as exactly as the rule `exact-store` says: a create can be repeated, other content
 * with the same id is a conflict, and a list is in the order of the ids and cut at its limit. No shape shows
 * these promises. With them, whole sequences of requests can be compared with a model of the store.
 */
import { typeOf } from '../bounds.js';
import type { Meaning } from '../meaning.js';
import { type ClientOptions, type Promises, ResourceClient } from '../resources/client.js';
import { checkDeletes, probeLists } from '../resources/crowd.js';
import { idsFor } from '../resources/ids.js';
import { ResourceMeaning } from '../resources/meaning.js';
import type { Owner } from '../resources/own-items.js';
import { pagingOf, sizeParameterOf } from '../resources/paging.js';
import { relationsOf } from '../resources/relations.js';
import type { Resource } from '../resources/shape.js';
import { layersOf } from '../schema.js';
import type { StoreOperations } from './commands.js';
import { checkLimits } from './limits.js';
import { tryOwners } from './owners.js';
import { probeSequences } from './sequences.js';

/** @returns undefined if the rule is off, or if the resource has not the shape for it */
export function exactStoreMeaning(
  resource: Resource,
  all: readonly Resource[],
  options: ClientOptions,
  owners: readonly Owner[],
): ResourceMeaning | undefined {
  const { create, list, remove } = resource;
  if (!options.description.rules.on.has('exact-store') || list === undefined || remove === undefined) return;
  const { id, parameter } = resource;
  // Texts have many orders, and integers one.
  const isInteger = typeOf(layersOf(parameter.schema)) === 'integer';
  const choosesIds = isInteger && id.in === 'request' && idsFor(parameter.schema) !== undefined;
  const hasConflicts = create.responses.get(409)?.key === '409';
  // A list in pages, and items that refer to others, are tried as those of any document.
  const isAlone = pagingOf(list) === undefined && relationsOf(resource, all).length === 0;
  if (!choosesIds || !hasConflicts || !isAlone) return;
  const promises = { repeats: true, ordered: true, limit: sizeParameterOf(list)?.name };
  return new ExactStore(resource, options, promises, owners, { create, list, remove });
}

class ExactStore extends ResourceMeaning {
  override readonly trials: Meaning['trials'];
  override readonly probes: Meaning['probes'];

  constructor(
    resource: Resource,
    options: ClientOptions,
    promises: Promises,
    owners: readonly Owner[],
    operations: StoreOperations,
  ) {
    const client = new ResourceClient(resource, options, promises);
    super(client, owners);
    this.trials = owners.length > 1 ? [() => tryOwners(client, operations)] : [];
    this.probes = [
      (runner) => probeLists(runner, client, owners),
      (runner) => checkLimits(runner, client, operations.list),
      (runner) => checkDeletes(runner, client, owners),
      (runner) => probeSequences(runner, client, operations, owners),
    ];
  }
}
