/**
 * Keeps items in memory, as a store promises it: the shortest text that says what handlers can rely on. It has
 * neither batches nor limits, it never fails, and its lists are one page. packages/service/test/store/promises.test.ts runs the
 * same cases on it and on the store that uses PostgreSQL.
 */
import { isDeepStrictEqual } from 'node:util';
import { ListPositionError } from '../../src/errors/list-position.js';
import type { Owner } from '../../src/identity/owner.js';
import type { Members } from '../../src/store/columns/columns.js';
import type { ListQuery, Store } from '../../src/store/store.js';
import { afterOf, type Table, type TableTypes } from '../../src/store/table.js';

export class MemoryStore<Types extends TableTypes> implements Store<Types> {
  readonly #table: Table<Types>;
  readonly #owners = new Map<Owner, Map<Types['key'], Types['item']>>();

  constructor(table: Table<Types>) {
    this.#table = table;
  }

  async create(owner: Owner, content: Types['created']): Promise<Types['body'] | Types['conflict']> {
    const item = this.#table.itemOf(content);
    const stored = this.#itemsOf(owner).get(this.#table.idOf(item));
    if (stored === undefined) this.#itemsOf(owner).set(this.#table.idOf(item), item);
    else if (!isDeepStrictEqual(stored, item)) return 'conflict' as Types['conflict'];
    return this.#table.bodyOf(item);
  }

  async find(owner: Owner, id: Types['key']): Promise<Types['body'] | undefined> {
    const stored = this.#itemsOf(owner).get(id);
    return stored && this.#table.bodyOf(stored);
  }

  async list(owner: Owner, query: ListQuery<Types> = {}): Promise<Types['body'][]> {
    const { filters = [], key } = this.#table;
    const asked: Members & { readonly limit?: number | undefined } = query;
    const sort = String(asked['sort'] ?? key);
    const sortedBy = sort.replace('-', '');
    const direction = sort.startsWith('-') ? -1 : 1;
    const order = (one: Members, other: Members) =>
      direction * (compare(one[sortedBy], other[sortedBy]) || compare(one[key], other[key]));
    const position = { [sortedBy]: asked[afterOf(sortedBy)], [key]: asked['after'] };
    if (position[key] !== undefined && position[sortedBy] === undefined)
      throw new ListPositionError(`query/after needs query/${afterOf(sortedBy)}, too.`);
    return Array.from(this.#itemsOf(owner).values())
      .filter((item) => filters.every((name) => asked[name] === undefined || item[name] === asked[name]))
      .filter((item) => position[key] === undefined || order(item, position) > 0)
      .sort(order)
      .slice(0, asked.limit)
      .map((item) => this.#table.bodyOf(item));
  }

  async update(owner: Owner, item: Types['item']): Promise<Types['body'] | 'absent'> {
    const id = this.#table.idOf(item);
    if (!this.#itemsOf(owner).has(id)) return 'absent';
    this.#itemsOf(owner).set(id, item);
    return this.#table.bodyOf(item);
  }

  async delete(owner: Owner, id: Types['key']): Promise<'deleted' | 'absent'> {
    return this.#itemsOf(owner).delete(id) ? 'deleted' : 'absent';
  }

  #itemsOf(owner: Owner): Map<Types['key'], Types['item']> {
    const items = this.#owners.get(owner) ?? new Map<Types['key'], Types['item']>();
    this.#owners.set(owner, items);
    return items;
  }
}

/** Compares two numbers, two bigints or two texts. */
function compare(one: unknown, other: unknown): number {
  if (one === other) return 0;
  // Both are of the type of one column.
  return (one as string) < (other as string) ? -1 : 1;
}
