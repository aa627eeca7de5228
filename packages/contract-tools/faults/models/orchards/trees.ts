/** Trees refer to an orchard, and come in pages with an offset. */

import { randomUUID } from 'node:crypto';
import {
  type Answered,
  type Asked,
  Collection,
  type Grounds,
  type Handler,
  type Item,
} from './collection.js';
import type { Orchards } from './orchards.js';
import { isInteger, isNumber, isText, known, knownQuery, numberIn, Refusal, require } from './values.js';

export class Trees extends Collection {
  readonly #orchards: Orchards;
  /** What was answered to each query, until the trees change. */
  readonly #kept = new Map<string, { readonly trees: readonly Item[]; readonly answer: Answered }>();

  readonly handlers: Readonly<Record<string, Handler>> = {
    'POST trees 1': (asked) => this.#plantTree(asked),
    'GET trees 1': (asked) => this.#keptList(asked) ?? this.#listTrees(asked),
    'GET trees 2': (asked) => this.#getTree(asked),
    'PATCH trees 2': (asked) => this.#changeTree(asked),
    'DELETE trees 2': (asked) => this.#fellTree(asked),
  };

  constructor(grounds: Grounds, orchards: Orchards) {
    super(grounds);
    this.#orchards = orchards;
  }

  #plantTree({ owner, body }: Asked): Answered {
    const value = known(body, ['orchardId', 'species', 'height', 'sort', 'note']);
    require(isInteger(value['orchardId'], 1n, 2n ** 200n));
    require(isText(value['species'], 1, 40));
    if (value['height'] !== undefined) require(isNumber(value['height'], 0, 130));
    if (value['sort'] !== undefined) require(['apple', 'pear', 'plum'].includes(String(value['sort'])));
    if (this.#orchards.ownerOf(String(value['orchardId'])) !== owner) throw new Refusal(404);
    const treeId = randomUUID();
    const { height, ...others } = value;
    const kept = this.grounds.has('a tree forgets its height') || height === undefined ? others : value;
    this.items.set(treeId, { owner, value: { sort: 'apple', ...kept, treeId } });
    return { status: 201, body: this.items.get(treeId)?.value ?? null };
  }

  #listTrees({ owner, query }: Asked): Answered {
    knownQuery(query, ['offset', 'limit']);
    const offset = numberIn(query, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    const limit = numberIn(query, 'limit', 1, 200) ?? 50;
    const all = [...this.items.values()].filter(
      (item) => item.owner === owner || this.grounds.has('another owner sees the trees'),
    );
    const repeat = this.grounds.has('an offset repeats a tree') && offset > 0 ? -1 : 0;
    const gap = this.grounds.has('an offset leaves a tree out') && offset > 0 ? 1 : 0;
    const start = offset + repeat + gap;
    const end = this.grounds.has('the limit of trees is ignored') ? start + 200 : start + limit;
    const trees = all.slice(start, end).map(({ value }) => value);
    const answer = { status: 200, body: { trees, total: BigInt(all.length) } };
    this.#kept.set(String(query), { trees: [...this.items.values()], answer });
    return answer;
  }

  #keptList({ query }: Asked): Answered | undefined {
    const kept = this.#kept.get(String(query));
    const now = [...this.items.values()];
    const isNew = kept?.trees.length === now.length;
    const mayShow = isNew && now.every((tree, index) => tree === kept.trees[index]);
    return mayShow && this.grounds.has('a list of trees is kept for whoever comes next')
      ? kept.answer
      : undefined;
  }

  #getTree(asked: Asked): Answered {
    return { status: 200, body: this.itemOf(asked.owner, asked.path[1]).value };
  }

  #changeTree(asked: Asked): Answered {
    const value = known(asked.body, ['species', 'height']);
    require(Object.keys(value).length > 0);
    if (value['species'] !== undefined) require(isText(value['species'], 1, 40));
    if (value['height'] !== undefined) require(isNumber(value['height'], 0, 130));
    const { owner, value: before } = this.itemOf(asked.owner, asked.path[1], 'another owner changes a tree');
    const after = this.grounds.has('a change of a tree changes nothing') ? before : { ...before, ...value };
    this.items.set(String(before['treeId']), { owner, value: after });
    return { status: 200, body: { ...before, ...value } };
  }

  #fellTree(asked: Asked): Answered {
    const { value } = this.itemOf(asked.owner, asked.path[1]);
    if (!this.grounds.has('a felled tree stands')) this.items.delete(String(value['treeId']));
    return { status: 204 };
  }
}
