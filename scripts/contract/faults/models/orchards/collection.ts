/** The base of all collections: their items, each with its owner, and the flaw that is on. */
import type { Value } from '../../../check/values/json.js';
import type { Flaw } from './flaws.js';
import { Refusal } from './values.js';

export interface Item {
  readonly owner: string;
  readonly value: Readonly<Record<string, Value>>;
}

export interface Asked {
  readonly owner: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Value;
}

export interface Answered {
  readonly status: number;
  readonly body?: Value;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export type Handler = (asked: Asked) => Answered;

/** The server's parts that all collections use. */
export interface Grounds {
  has(flaw: Flaw): boolean;
  /** An id that nothing else has. */
  nextId(): string;
}

export abstract class Collection {
  /** The keys are a method, the path's names, and the number of its segments. */
  abstract readonly handlers: Readonly<Record<string, Handler>>;
  protected readonly grounds: Grounds;
  protected readonly items = new Map<string, Item>();

  constructor(grounds: Grounds) {
    this.grounds = grounds;
  }

  /**
   * The item of an id.
   *
   * @param leak the flaw with which other owners find it, too
   * @throws {Refusal} if the owner has no such item
   */
  protected itemOf(owner: string, id = '', leak?: Flaw): Item {
    const found = this.items.get(id);
    if (found === undefined || (found.owner !== owner && !(leak && this.grounds.has(leak)))) {
      throw new Refusal(404);
    }
    return found;
  }
}
