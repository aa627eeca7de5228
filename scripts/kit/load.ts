/** What a load generator sends: which requests, over how many connections, for how long. */
export interface Load {
  /**
   * A page is a list with limit=20. Of 100 requests of a mix, 80 are pages, 12 creates, 3 repeats and 5
   * deletes.
   */
  readonly kind: 'create' | 'delete' | 'page' | 'mix';
  readonly connections: number;
  readonly seconds: number;
  /** Ids count up from here; every create and every delete has an id of its own. */
  readonly firstId: number;
  /** Requests take the tokens in turn: the plant with id n belongs to the owner n modulo their number. */
  readonly tokens: readonly string[];
  /**
   * The share of requests that may be answered by 400 or more, which are counted apart. If it is left out,
   * none may.
   */
  readonly mayBeRefused?: number;
}

/** What came of a load. The latencies `p50` and `p99` are in milliseconds. */
export interface LoadResult {
  /** How many requests were answered. */
  readonly requests: number;
  /** Refusals do not count, if the load may be refused. */
  readonly perSecond: number;
  readonly refusedPerSecond?: number;
  readonly p50: number;
  readonly p99: number;
}

/** A contestant gave answers that a load must not get, so its figures would be meaningless. */
export class FailedLoadError extends Error {
  override readonly name = 'FailedLoadError';
}

/** How many loads there were. It begins with 1, because the first million of ids is that of filled stores. */
let loads = 1;

/**
 * The first id of creates that nobody has sent. Creates of a load that was cut off may still be in flight
 * when the next load begins, and would take its ids.
 */
export function unusedIds(): number {
  return 1 + loads++ * 1_000_000;
}

export type SendLoad = (address: string, load: Load) => Promise<LoadResult>;
