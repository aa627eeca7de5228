/** Remembers the checker's own items: their ids, the marker in their texts, and their content. */
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
  constructor(markers: Markers) {
    this.#markers = markers;
  }

  add(item: OwnItem): void {
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

  isDoubtful({ owner, id }: Pick<OwnItem, 'owner' | 'id'>): boolean {
    return this.find(owner, id)?.doubtful === true;
  }

  remove(owner: Owner, id: Id, why: FormerItem['why']): void {
    const item = this.find(owner, id);
    if (item !== undefined) this.forget({ ...item, why });
    this.#items.delete(keyOf({ owner, id }));
  }

  /** Notes that a DELETE has succeeded. RFC 9110, section 15.3.3: after a 202 the item goes at some later time. */
  deleted(owner: Owner, id: Id, status: number | undefined): void {
    if (status === 202) this.doubt(owner, id);
    else this.remove(owner, id, 'deleted');
  }

  /** Notes that the item must not exist from now on. */
  forget(item: FormerItem): void {
    const marker = this.#markers.of(item.content);
    if (marker !== undefined) this.#former.set(marker, item);
  }

  former(marker: string): FormerItem | undefined {
    return this.#former.get(marker);
  }

  /** The id of the item that was deleted last. */
  get deletedId(): Id | undefined {
    return [...this.#former.values()].findLast(({ why, id }) => why === 'deleted' && id !== undefined)?.id;
  }

  find(owner: Owner, id: Id): OwnItem | undefined {
    return this.#items.get(keyOf({ owner, id }));
  }

  /** The markers of the items of which nobody knows whether they exist, or what they contain. */
  get uncertainMarkers(): ReadonlySet<string | undefined> {
    const uncertain = this.all.filter(({ created, doubtful }) => !created || doubtful);
    return new Set(uncertain.map(({ content }) => this.#markers.of(content)));
  }

  get all(): readonly OwnItem[] {
    return [...this.#items.values()];
  }

  /** The items of an owner that exist for sure and whose content is known, by ascending id. */
  of(owner: Owner): readonly OwnItem[] {
    return this.all
      .filter((item) => item.owner === owner && item.created && !item.doubtful)
      .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }
}

function keyOf({ owner, id }: Pick<OwnItem, 'owner' | 'id'>): string {
  return `${owner} ${id}`;
}
