/** What is sent, over how many connections, for how long. */
export interface Load {
  readonly kind: 'create' | 'delete' | 'page';
  readonly connections: number;
  readonly seconds: number;
  /** Ids are counted up from here; every create and every delete has one of its own. */
  readonly firstId: number;
  /** Requests take the tokens in turn: the plant with id n belongs to the owner n modulo their number. */
  readonly tokens: readonly string[];
  /** Whether ids jump about in the index, in place of being counted up. */
  readonly scattered?: boolean;
  /** Without it, each connection sends its next request when the last one is answered. */
  readonly perSecond?: number;
}

/** What came of it; latencies in milliseconds. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Answers that no contestant may give to a load: figures of such a run would be of something else. */
export class FailedLoadError extends Error {
  override readonly name = 'FailedLoadError';
}

/**
 * The n-th of the ids that jump about is n × factor mod modulus. The factor is odd, so no two are the same;
 * up to n = 2^30, doubles are exact.
 */
export const scattering = { factor: 7_368_787, modulus: 2 ** 40 };

let loads = 0;

/**
 * The first id of creates that nobody has sent. Those of a load that was cut off can still be under way when
 * the next one begins, and would take its ids.
 */
export function unusedIds(): number {
  return 1 + loads++ * 1_000_000;
}

export type SendLoad = (address: string, load: Load) => Promise<LoadResult>;
