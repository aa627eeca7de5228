/** What only the prose of plants.yaml says of its operations. This folder alone knows plants. */
import type { Meaning } from '../meaning.js';
import { type ClientOptions, type Promises, ResourceClient } from '../resources/client.js';
import { checkDeletes, probeLists } from '../resources/crowd.js';
import { ResourceMeaning } from '../resources/meaning.js';
import type { Owner } from '../resources/own-items.js';
import type { Resource } from '../resources/shape.js';
import type { PlantOperations } from './commands.js';
import { checkLimits } from './limits.js';
import { tryOwners } from './owners.js';
import { probeSequences } from './sequences.js';

const promises: Promises = { repeats: true, ordered: true, limit: 'limit' };

/** @returns undefined if the resource is not the plants */
export function plantsMeaning(
  resource: Resource,
  options: ClientOptions,
  owners: readonly Owner[],
): ResourceMeaning | undefined {
  const { create, list, remove } = resource;
  if (create.id !== 'createPlant' || list === undefined || remove === undefined) return undefined;
  const client = new ResourceClient(resource, options, promises);
  return new PlantsMeaning(client, owners, { create, list, remove });
}

class PlantsMeaning extends ResourceMeaning {
  override readonly strictJson = true;
  override readonly trials: Meaning['trials'];
  override readonly probes: Meaning['probes'];

  constructor(client: ResourceClient, owners: readonly Owner[], operations: PlantOperations) {
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
