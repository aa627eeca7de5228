import { LRUCache } from 'lru-cache';
import type { Owner } from './owner.js';

/** An owner beyond this number makes another one forgotten, who then has all requests of a second again. */
const maxOwners = 10_000;

export class TooManyRequestsError extends Error {
  override readonly name = 'TooManyRequestsError';
  readonly perSecond: number;

  constructor(perSecond: number) {
    super(`The limit is ${perSecond} requests a second: try again later.`);
    this.perSecond = perSecond;
  }
}

/**
 * A token bucket for each owner holds the requests of one second.
 *
 * @param perSecond 0 for no limit
 * @returns a function that throws a TooManyRequestsError; `now` in milliseconds
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
