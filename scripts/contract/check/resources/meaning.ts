/** The meaning of operations on a collection and its items, as far as the document's shape tells it. */
import type { Operation } from '../description.js';
import type { Focus, Meaning, OwnTarget, Prepared, Purpose } from '../meaning.js';
import type { RequestValues } from '../request.js';
import { makeItem } from './blame.js';
import { cleanUp } from './clean-up.js';
import type { ResourceClient } from './client.js';
import { checkDeletes, probeLists } from './crowd.js';
import type { Owner } from './own-items.js';
import { prepareCreate, prepareList } from './prepare-collection.js';
import { ItemRequests } from './prepare-item.js';

export class ResourceMeaning implements Meaning {
  readonly strictJson: boolean = false;
  readonly client: ResourceClient;
  readonly owners: readonly Owner[];
  readonly #items: ItemRequests;

  readonly trials: Meaning['trials'] = [];

  readonly probes: Meaning['probes'] = [
    (runner) => probeLists(runner, this.client, this.owners),
    (runner) => checkDeletes(runner, this.client, this.owners),
  ];

  /** @param owners those who have a token */
  constructor(client: ResourceClient, owners: readonly Owner[]) {
    this.client = client;
    this.owners = owners;
    this.#items = new ItemRequests(client);
  }

  get operations(): Operation[] {
    const { create, list, get, replace, modify, remove } = this.client.resource;
    return [create, list, get, replace, modify, remove].filter((operation) => operation !== undefined);
  }

  async prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus?: Focus,
  ): Promise<Prepared | undefined> {
    const { create, list } = this.client.resource;
    if (operation.id === create.id) return prepareCreate(this.client, values, purpose, focus);
    if (operation === list) return prepareList(this.client, list, values);
    return this.#items.prepare(operation, values, purpose, focus);
  }

  /** Also for paths below an item, such as `/plants/{id}/photo`. */
  async ownItem(path: string): Promise<OwnTarget | undefined> {
    const { itemPath } = this.client.resource;
    if (path !== itemPath && !path.startsWith(`${itemPath}/`)) return undefined;
    const content = this.client.plainContent('of a path', 'with');
    const { id } = await makeItem(this.client, content);
    if (id === undefined) return undefined;
    const discard = async (): Promise<void> => {
      const { remove } = this.client.resource;
      if (remove !== undefined) await this.client.item('first', remove, id);
      if (remove !== undefined) this.client.own.remove('first', id, 'deleted');
    };
    return { path: this.client.pathTo(id), body: content, discard };
  }

  obstacle(): string | undefined {
    return undefined;
  }

  cleanUp(): Promise<readonly string[]> {
    return cleanUp(this.client, this.owners);
  }
}
