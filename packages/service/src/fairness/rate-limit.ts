/**
 * Limits how many requests an owner may send in a second, if REQUESTS_PER_SECOND is set.
 *
 * Each owner has a bucket that holds as many tokens as it may send requests in a second. A request takes one,
 * and time fills the bucket again. So an owner may send all requests of a second at once, and then as many as
 * flow in.
 *
 * For example, with 10 requests a second, an owner that was quiet sends 12 at once. Ten are served, and two
 * get a 429. After 100 ms the bucket has one token again.
 *
 * The cost: replicas do not know each other's buckets, so an owner gets the limit at each of them.
 */
import { LRUCache } from 'lru-cache';
import type { Owner } from '../identity/owner.js';

/** An owner beyond this number makes another one forgotten, who then has all requests of a second again. */
const maxOwners = 10_000;

/** An owner has sent more requests than it may in a second. The message is for the client. */
export class TooManyRequestsError extends Error {
  override readonly name = 'TooManyRequestsError';
  readonly perSecond: number;

  constructor(perSecond: number) {
    super(`The limit is ${perSecond} requests a second: try again later.`);
    this.perSecond = perSecond;
  }
}

/**
 * Makes the limit, with a bucket for each owner.
 *
 * @param perSecond how many requests an owner may send in a second; 0 for no limit
 * @returns a function to be called for each request, with `now` in milliseconds of performance.now(). It
 * throws a TooManyRequestsError if the owner's bucket is empty
 */
export function rateLimit(perSecond: number): (owner: Owner, now?: number) => void {
  if (perSecond === 0) return () => {};
  const buckets = new LRUCache<Owner, { requests: number; at: number }>({ max: maxOwners });
  return (owner, now = performance.now()) => {
    const { requests, at } = buckets.get(owner) ?? { requests: perSecond, at: now };
    const left = Math.min(perSecond, requests + ((now - at) / 1_000) * perSecond);
    // Sums of fractions are a little off.
    const isOver = left < 1 - 1e-6;
    buckets.set(owner, { requests: isOver ? left : left - 1, at: now });
    if (isOver) throw new TooManyRequestsError(perSecond);
  };
}
