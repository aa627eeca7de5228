/** A load: the requests, the number of connections, the duration. */
export interface Load {
  /** page: a list of limit=20; mix: in 100, 80 pages, 12 creates, 3 repeats, 5 deletes. */
  readonly kind: 'create' | 'delete' | 'page' | 'mix';
  readonly connections: number;
  readonly seconds: number;
  /** Ids count up from here; every create and every delete has an id of its own. */
  readonly firstId: number;
  /** Requests take the tokens in turn: the plant with id n belongs to the owner n modulo their number. */
  readonly tokens: readonly string[];
  /**
   * The share of requests that may be answered by 400 or more, which are counted apart. If it is left out, none may.
   */
  readonly mayBeRefused?: number;
}

/** The result of a load; latencies in milliseconds. */
export interface LoadResult {
  /** How many requests were answered. */
  readonly requests: number;
  /** Of a load that may be refused, without the refusals. */
  readonly perSecond: number;
  readonly refusedPerSecond?: number;
  readonly p50: number;
  readonly p99: number;
}

/** A contestant gave answers that a load must not get, so its figures would be meaningless. */
export class FailedLoadError extends Error {
  override readonly name = 'FailedLoadError';
}

/** The first ids are those of stores that were filled before. */
let loads = 1;

/**
 * The first id of creates that nobody has sent. Creates of a load that was cut off may still be in flight
 * when the next load begins, and would take its ids.
 */
export function unusedIds(): number {
  return 1 + loads++ * 1_000_000;
}

export type SendLoad = (address: string, load: Load) => Promise<LoadResult>;
