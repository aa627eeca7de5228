/**
 * The base of all collections of the orchards' server: their items, each with its owner, and the flaw that is
 * on.
 */
import type { Value } from '../../../src/values/json.js';
import type { Flaw } from './flaws.js';
import { Refusal } from './values.js';

/** An item with its owner. */
export interface Item {
  readonly owner: string;
  readonly value: Readonly<Record<string, Value>>;
}

/** A request, read. */
export interface Asked {
  /** The owner of its token; "anybody" for an operation that needs none. */
  readonly owner: string;
  /** The segments of the path, percent-decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Value;
}

export interface Answered {
  readonly status: number;
  readonly body?: Value;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Answers a request, or throws a Refusal. */
export type Handler = (asked: Asked) => Answered;

/** The server's parts that all collections use. */
export interface Grounds {
  /** Whether the server has this flaw. */
  has(flaw: Flaw): boolean;
  /** An id that nothing else has. */
  nextId(): string;
}

export abstract class Collection {
  /** The keys are a method, the path's names, and the number of its segments: `GET orchards/visits 3`. */
  abstract readonly handlers: Readonly<Record<string, Handler>>;
  protected readonly grounds: Grounds;
  protected readonly items = new Map<string, Item>();

  constructor(grounds: Grounds) {
    this.grounds = grounds;
  }

  /**
   * Finds the item of an id.
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
