/**
 * The one rule for what is shared: requests in flight, bytes of their bodies, what waits in a queue, long
 * lists. Kinds of statements share the connections of batches by it, too.
 *
 * Without a rule, an owner with many connections takes all slots, and everybody else is refused. A fixed
 * share for each owner would be too small if the owner is alone, and too large if there are many.
 *
 * The rule is that a holder gets at most half of the slots that the other holders leave free. So however many
 * slots the others have, the next one finds some, and nobody sets a share for anybody. For example, of 16
 * slots the first holder gets 8, the second 4, the third 2 and the fourth 1; of 10,000, a lone holder gets
 * 5,000.
 *
 * The cost is that a lone holder never gets more than half, and that those who come first have more than
 * those who come later, until they release some. So what waits in a queue also takes turns (fair-queue.ts).
 */
import { OverloadError } from '../errors/overloads.js';
import type { Owner } from '../identity/owner.js';
import { Holders } from './holders.js';

interface Limits {
  /** How many slots there are. */
  readonly all: number;
  /** How many slots one holder gets at most. If left out, as many as `all`. */
  readonly owner?: number;
}

/**
 * The rule itself.
 *
 * @param count how many slots a holder wants
 * @param own how many it has
 * @param free how many nobody has
 * @returns the limit that it would exceed with so many more slots; undefined if it would exceed none
 */
export function exceededBy(
  count: number,
  own: number,
  free: number,
  maxOfHolder = free,
): 'all' | 'owner' | undefined {
  if (free < count) return 'all';
  // The slots of this holder are not among the free ones. So if own + count is at most what is free, the holder
  // has at most half of what the others leave.
  return own + count > Math.min(maxOfHolder, free) ? 'owner' : undefined;
}

/** Slots of any kind, and who has taken them. */
export class Slots<Holder> {
  readonly #max: number;
  readonly #maxOfHolder: number;
  readonly #holders = new Holders<Holder, { taken: number }>(
    () => ({ taken: 0 }),
    ({ taken }) => taken === 0,
  );
  #taken = 0;

  constructor({ all, owner = all }: Limits) {
    this.#max = all;
    this.#maxOfHolder = owner;
  }

  get taken(): number {
    return this.#taken;
  }

  takenBy(holder: Holder): number {
    return this.#holders.find(holder)?.taken ?? 0;
  }

  /**
   * @param count how many slots the holder wants
   * @returns the limit that the holder would exceed with so many more slots; undefined if it would exceed
   * none
   */
  exceededLimit(holder: Holder, count = 1): 'all' | 'owner' | undefined {
    return exceededBy(count, this.takenBy(holder), this.#max - this.#taken, this.#maxOfHolder);
  }

  /** Acquires slots, even if this exceeds a limit. */
  forceAcquire(holder: Holder, count = 1): void {
    this.#taken += count;
    this.#holders.of(holder).taken += count;
  }

  /** Gives slots back, which the holder must have taken. */
  release(holder: Holder, count = 1): void {
    this.#taken -= count;
    this.#holders.of(holder).taken -= count;
  }
}

/**
 * Slots for the batches of a database, which its coalescers share: the first gets 8, the next 4, 2 and 1. If
 * a lock on a table blocks all of them, some of the twenty connections are left for statements that are not
 * batched.
 */
export function batchSlots(): Slots<object> {
  return new Slots<object>({ all: 16 });
}

interface Refusals {
  /** Why somebody is refused if all slots are taken. */
  readonly all: OverloadError['reason'];
  /** Why an owner is refused who has as many as it may have. */
  readonly owner: OverloadError['reason'];
  /** What takes the slots, for messages: "waiting requests". */
  readonly what: string;
}

/** Slots of owners, who are refused if there are too few. */
export class OwnerSlots extends Slots<Owner> {
  readonly #refusals: Readonly<Record<'all' | 'owner', OverloadError>>;

  constructor(limits: Limits, { all, owner, what }: Refusals) {
    super(limits);
    // An error for each refusal would take a tenth of the time in an overload.
    this.#refusals = {
      all: sharedError(all, `there are too many ${what}`),
      owner: sharedError(owner, `this owner has too many ${what}`),
    };
  }

  /** @throws {OverloadError} if so many slots would exceed a limit */
  check(owner: Owner, count = 1): void {
    const exceeded = this.exceededLimit(owner, count);
    if (exceeded !== undefined) throw this.#refusals[exceeded];
  }

  /**
   * Acquires slots.
   *
   * @returns the function that gives them back, to be called once
   * @throws {OverloadError} if so many slots would exceed a limit
   */
  acquire(owner: Owner, count = 1): () => void {
    this.check(owner, count);
    this.forceAcquire(owner, count);
    return () => this.release(owner, count);
  }
}

/** @returns an error that is thrown many times: each of them would have a stack, which takes time */
export function sharedError(reason: OverloadError['reason'], message: string): OverloadError {
  const error = new OverloadError(reason, message);
  // The log would show the stack of the start, not that of a request.
  delete error.stack;
  return error;
}
