/** What the server of exhibits remembers: each museum has its own halls and exhibits, by their names. */
import { Problem } from '../plain/problem.js';
import type { Members } from '../plain/values.js';
import type { ExhibitFault } from './faults.js';

export class Store {
  readonly halls = new Shelves();
  readonly exhibits = new Shelves();
  readonly #fault: ExhibitFault | undefined;

  constructor(fault: ExhibitFault | undefined) {
    this.#fault = fault;
  }

  /** Whether the server has this fault. */
  has(fault: ExhibitFault): boolean {
    return this.#fault === fault;
  }
}

interface Found {
  readonly owner: string;
  readonly members: Members;
}

/** Items of many owners. Two owners may use the same name. */
class Shelves {
  readonly #items = new Map<string, Map<string, Members>>();

  of(owner: string): Map<string, Members> {
    const own = this.#items.get(owner) ?? new Map<string, Members>();
    this.#items.set(owner, own);
    return own;
  }

  /**
   * Returns what an owner has under a name.
   *
   * @param isOpen whether an item of another owner is found, too: a fault
   * @throws {Problem} with 404
   */
  find(owner: string, name: string, isOpen: boolean): Found {
    const members = this.of(owner).get(name);
    if (members !== undefined) return { owner, members };
    const other = isOpen && this.#ownerOf(name);
    if (typeof other !== 'string') throw new Problem(404, 'There is none.');
    return { owner: other, members: this.of(other).get(name) ?? {} };
  }

  /** The items of all owners. */
  all(): readonly Members[] {
    return [...this.#items.values()].flatMap((items) => [...items.values()]);
  }

  isTakenByAnybody(name: string): boolean {
    return this.#ownerOf(name) !== undefined;
  }

  #ownerOf(name: string): string | undefined {
    return [...this.#items].find(([, items]) => items.has(name))?.[0];
  }
}
