/**
 * Remembers the checker's own items: their ids, the marker in their texts, and their content.
 *
 * No document says that the id of a deleted item is never used again, and SQLite gives the next item the highest id
 * and one. So an id alone does not tell whether an item is there: what an answer shows under it has a marker, and that of
 * another item is no trace of the deleted one. While requests are in flight together, a new item may have the id of one
 * whose delete is answered only later, so that a delete takes away the item that it was sent for, and no other.
 */
import type { Content } from './content.js';
import type { Id } from './ids.js';
import type { Markers } from './markers.js';

export type Owner = 'first' | 'second';

export interface OwnItem {
  readonly owner: Owner;
  readonly id: Id;
  readonly content: Content;
  /** Whether the create has succeeded. Before that, the item may exist, and is removed in the end. */
  readonly created?: boolean;
  /** Whether a finding has told that nobody can know its content any more. */
  readonly doubtful?: boolean;
  /** When it may end by itself, in milliseconds of `Date.now()` (expiry.ts); undefined if it does not. */
  readonly endsAt?: number | undefined;
}

/**
 * An item that must not exist, because it was deleted or its create was refused. If the server chooses ids,
 * an item that was refused has none.
 */
interface FormerItem extends Omit<OwnItem, 'id'> {
  readonly id: Id | undefined;
  readonly why: 'refused' | 'deleted';
}

export class OwnItems {
  readonly #markers: Markers;
  readonly #items = new Map<string, OwnItem>();
  readonly #former = new Map<string, FormerItem>();
  readonly #deletedIds = new Set<string>();
  /** Whether the server has given an id again whose item was deleted. */
  idsComeAgain = false;

  constructor(markers: Markers) {
    this.#markers = markers;
  }

  add(item: OwnItem): void {
    const isNew = item.created === true && this.find(item.owner, item.id) === undefined;
    if (isNew && this.#deletedIds.has(keyOf(item))) this.idsComeAgain = true;
    this.#items.set(keyOf(item), item);
  }

  /** Notes that a create was answered with success. */
  confirm(owner: Owner, id: Id): void {
    const item = this.find(owner, id);
    if (item !== undefined) this.add({ ...item, created: true });
  }

  /**
   * Notes that an answer about the item was wrong, so that other operations are not blamed for what follows.
   */
  doubt(owner: Owner, id: Id): void {
    const item = this.find(owner, id);
    if (item !== undefined) this.add({ ...item, doubtful: true });
  }

  /** Whether the item may have ended by itself, or does so within a second. */
  mayHaveEnded({ owner, id }: Pick<OwnItem, 'owner' | 'id'>): boolean {
    const endsAt = this.find(owner, id)?.endsAt;
    return endsAt !== undefined && Date.now() > endsAt - 1_000;
  }

  isDoubtful({ owner, id }: Pick<OwnItem, 'owner' | 'id'>): boolean {
    return this.find(owner, id)?.doubtful === true || this.mayHaveEnded({ owner, id });
  }

  remove(owner: Owner, id: Id, why: FormerItem['why']): void {
    const item = this.find(owner, id);
    if (item !== undefined) this.forget({ ...item, why });
    if (why === 'deleted') this.#deletedIds.add(keyOf({ owner, id }));
    this.#items.delete(keyOf({ owner, id }));
  }

  /** Notes that a DELETE has succeeded. RFC 9110, section 15.3.3: after a 202 the item goes at some later time. */
  deleted(item: OwnItem, status: number | undefined): void {
    if (status === 202) {
      this.doubt(item.owner, item.id);
      return;
    }
    this.forget({ ...item, why: 'deleted' });
    this.#deletedIds.add(keyOf(item));
    const there = this.find(item.owner, item.id);
    if (there !== undefined && this.isSame(there.content, item.content)) this.#items.delete(keyOf(item));
  }

  /** Whether two contents may be those of one item: their markers do not tell them apart. */
  isSame(one: Content, other: Content): boolean {
    const [a, b] = [this.#markers.of(one), this.#markers.of(other)];
    return a === b || a === undefined || b === undefined;
  }

  /** Notes that the item must not exist from now on. */
  forget(item: FormerItem): void {
    const marker = this.#markers.of(item.content);
    if (marker !== undefined) this.#former.set(marker, item);
  }

  former(marker: string): FormerItem | undefined {
    return this.#former.get(marker);
  }

  /** The item that was deleted last, if nobody can have its id again. */
  get lastDeleted(): (FormerItem & { readonly id: Id }) | undefined {
    if (this.idsComeAgain) return undefined;
    return [...this.#former.values()].findLast(
      (item): item is FormerItem & { id: Id } => item.why === 'deleted' && item.id !== undefined,
    );
  }

  find(owner: Owner, id: Id): OwnItem | undefined {
    return this.#items.get(keyOf({ owner, id }));
  }

  /** The markers of the items of which nobody knows whether they exist, or what they contain. */
  get uncertainMarkers(): ReadonlySet<string | undefined> {
    const uncertain = this.all.filter((item) => !item.created || this.isDoubtful(item));
    return new Set(uncertain.map(({ content }) => this.#markers.of(content)));
  }

  get all(): readonly OwnItem[] {
    return [...this.#items.values()];
  }

  /** The items of an owner that exist for sure and whose content is known, by ascending id. */
  of(owner: Owner): readonly OwnItem[] {
    return this.all
      .filter((item) => item.owner === owner && item.created && !this.isDoubtful(item))
      .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }
}

function keyOf({ owner, id }: Pick<OwnItem, 'owner' | 'id'>): string {
  return `${owner} ${id}`;
}
