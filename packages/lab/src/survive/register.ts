/**
 * One id as a register: it is absent, or holds a version of its content. Finds out whether some order of the
 * operations, each at one moment between its begin and its end, explains all answers (Herlihy and Wing 1990,
 * Lowe 2017).
 *
 * The begins and ends of all operations are gone through in the order of time. At each moment there is a set
 * of possibilities: a state, and which of the pending operations (begun, but not ended) have taken effect
 * already.
 *
 * 1. When an operation begins, it becomes pending.
 * 2. When it ends, it must have taken effect. So from each possibility, pending operations are applied in
 *    every order, until this one is. What its answer does not allow is dropped: a create that was answered
 *    409 cannot have found the id absent.
 * 3. If no possibility is left, no order explains that answer: it is the contradiction.
 *
 * For example, a create of version 5 from 0 to 10 ms has no answer, a read from 20 to 25 ms sees nothing, and
 * one from 30 to 35 ms sees 5. The first read leaves the possibility {absent, create pending}. Before the
 * second one ends, the create can take effect, which gives {5}. If a third read from 40 to 45 ms saw nothing
 * again, no possibility would be left, unless a delete was pending.
 *
 * An operation of unknown outcome never ends, so it stays pending, and may take effect at any time. The
 * number of possibilities can double with each of them. That is why an owner gives up an id after four
 * (owner.ts).
 */

/** The version of an id that holds nothing. */
export const absent = 0;

export interface RegisterOperation {
  readonly kind: 'create' | 'delete' | 'read';
  /** The version that a create stores, or that a read saw. */
  readonly version: number;
  /** When the request was sent, in milliseconds. */
  readonly begin: number;
  /** When the answer came, in milliseconds; Infinity if nobody knows whether and when it was carried out. */
  readonly end: number;
  /**
   * True if a create was answered 200 or a delete 204, false if a create was answered 409 or a delete 404. It
   * does not count if `end` is Infinity.
   */
  readonly changed: boolean;
}

/** An answer that no order of the operations explains. */
export interface Contradiction {
  readonly operation: RegisterOperation;
  /** The versions that the register could hold before that answer. */
  readonly possible: readonly number[];
}

interface Verdict {
  readonly contradiction?: Contradiction;
  /** The versions that the register may hold now. Operations of unknown outcome may still come. */
  readonly possible: readonly number[];
}

/** The most pending operations, because each takes a bit of a number. */
const maxPending = 30;

interface Possibility {
  readonly state: number;
  /** The bits of the pending operations that have taken effect. */
  readonly applied: number;
}

class Possibilities {
  readonly #known = new Map<string, Possibility>();

  /** @returns whether it is new */
  add(one: Possibility): boolean {
    const key = `${one.state} ${one.applied}`;
    if (this.#known.has(key)) return false;
    this.#known.set(key, one);
    return true;
  }

  get all(): Possibility[] {
    return [...this.#known.values()];
  }
}

/** @throws {Error} if more than `maxPending` operations are pending at once */
export function checkRegister(operations: readonly RegisterOperation[]): Verdict {
  const pending = new Map<number, RegisterOperation>();
  const bits = new Map<RegisterOperation, number>();
  let possible: Possibility[] = [{ state: absent, applied: 0 }];
  for (const { operation, ends } of eventsOf(operations)) {
    if (!ends) {
      const bit = freeBit(pending);
      pending.set(bit, operation);
      bits.set(operation, bit);
      continue;
    }
    const bit = bits.get(operation) ?? 0;
    const next = new Possibilities();
    for (const { state, applied } of reachable(possible, pending, bit)) {
      if ((applied & bit) !== 0) next.add({ state, applied: applied & ~bit });
    }
    if (next.all.length === 0) {
      const states = statesOf(reachable(possible, pending));
      return { contradiction: { operation, possible: states }, possible: states };
    }
    pending.delete(bit);
    bits.delete(operation);
    possible = next.all;
  }
  return { possible: statesOf(reachable(possible, pending)) };
}

interface Event {
  readonly operation: RegisterOperation;
  readonly time: number;
  readonly ends: boolean;
}

/**
 * Sorts the begins and ends by time. At the same moment, begins come first, so that such operations overlap.
 */
function eventsOf(operations: readonly RegisterOperation[]): Event[] {
  const events: Event[] = [];
  for (const operation of operations) {
    events.push({ operation, time: operation.begin, ends: false });
    if (operation.end !== Number.POSITIVE_INFINITY)
      events.push({ operation, time: operation.end, ends: true });
  }
  return events.sort((one, other) => one.time - other.time || Number(one.ends) - Number(other.ends));
}

/**
 * Finds all possibilities that pending operations can lead to in any order, but none beyond the operation
 * with the bit `until`.
 */
function reachable(
  from: readonly Possibility[],
  pending: ReadonlyMap<number, RegisterOperation>,
  until = 0,
): Possibility[] {
  const found = new Possibilities();
  const open = from.map((one) => withReads(one, pending)).filter((one) => found.add(one));
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if ((one.applied & until) !== 0) continue;
    for (const [bit, operation] of pending) {
      if ((one.applied & bit) !== 0 || operation.kind === 'read') continue;
      const state = after(one.state, operation);
      if (state === undefined) continue;
      const next = withReads({ state, applied: one.applied | bit }, pending);
      if (found.add(next)) open.push(next);
    }
  }
  return found.all;
}

/** Adds the reads that can see this state now. They change nothing, so they may as well do it. */
function withReads(
  { state, applied }: Possibility,
  pending: ReadonlyMap<number, RegisterOperation>,
): Possibility {
  let all = applied;
  for (const [bit, { kind, version }] of pending) if (kind === 'read' && version === state) all |= bit;
  return { state, applied: all };
}

/**
 * @returns the state after a create or delete; undefined if it could not have had its answer in this state
 */
function after(state: number, { kind, version, end, changed }: RegisterOperation): number | undefined {
  const unknown = end === Number.POSITIVE_INFINITY;
  if (kind === 'delete') return unknown || changed === (state !== absent) ? absent : undefined;
  const stored = state === absent ? version : state;
  return unknown || changed === (stored === version) ? stored : undefined;
}

function freeBit(pending: ReadonlyMap<number, RegisterOperation>): number {
  for (let place = 0; place < maxPending; place++) {
    if (!pending.has(1 << place)) return 1 << place;
  }
  throw new Error(`More than ${maxPending} operations on one id are pending: send fewer.`);
}

function statesOf(possibilities: readonly Possibility[]): number[] {
  return [...new Set(possibilities.map(({ state }) => state))];
}
