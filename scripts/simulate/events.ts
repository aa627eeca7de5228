/** Virtual time: what happens at which moment, and processors that run one job at a time each. */

interface Event {
  readonly at: number;
  readonly happen: () => void;
}

/** Microseconds. */
export class Clock {
  readonly #events: Event[] = [];
  now = 0;

  after(delay: number, happen: () => void): void {
    const event = { at: this.now + delay, happen };
    let place = this.#events.push(event) - 1;
    // A binary heap: the earliest is first.
    for (let parent = (place - 1) >> 1; place > 0 && this.#at(parent) > event.at; parent = (place - 1) >> 1) {
      this.#swap(place, parent);
      place = parent;
    }
  }

  runUntil(end: number): void {
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      if (next.at > end) return;
      this.now = next.at;
      next.happen();
    }
  }

  #take(): Event | undefined {
    const first = this.#events[0];
    const last = this.#events.pop();
    if (first === undefined || last === undefined || this.#events.length === 0) return first;
    this.#events[0] = last;
    for (let place = 0; ; ) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const child = this.#at(right) < this.#at(left) ? right : left;
      if (this.#at(child) >= last.at) return first;
      this.#swap(place, child);
      place = child;
    }
  }

  #at(place: number): number {
    return this.#events[place]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(one: number, other: number): void {
    // Both places are in the heap.
    const [a, b] = [this.#events[one] as Event, this.#events[other] as Event];
    this.#events[one] = b;
    this.#events[other] = a;
  }
}

/** The cores of a machine. Jobs wait in the order in which they came. */
export class Cores {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  busy = 0;

  constructor(clock: Clock, count: number) {
    this.#clock = clock;
    this.#free = count;
  }

  run(microseconds: number, then: () => void): void {
    const begin = () => {
      this.#free--;
      this.busy += microseconds;
      this.#clock.after(microseconds, () => {
        this.#free++;
        then();
        this.#waiting.shift()?.();
      });
    };
    if (this.#free > 0 && this.#waiting.length === 0) begin();
    else this.#waiting.push(begin);
  }
}

/** One thread: a program of one thread has one job on a core at a time. */
export class Thread {
  readonly #clock: Clock;
  readonly #cores: Cores;
  readonly #jobs: { readonly microseconds: number; readonly then: () => void }[] = [];
  #busy = false;
  /** Of all pauses that are over. */
  #idle = 0;
  #idleSince = 0;

  constructor(clock: Clock, cores: Cores) {
    this.#clock = clock;
    this.#cores = cores;
  }

  /** Microseconds until now in which it had nothing to do. */
  get idle(): number {
    return this.#idle + (this.#busy ? 0 : this.#clock.now - this.#idleSince);
  }

  run(microseconds: number, then: () => void): void {
    this.#jobs.push({ microseconds, then });
    this.#next();
  }

  #next(): void {
    if (this.#busy) return;
    const job = this.#jobs.shift();
    if (job === undefined) return;
    this.#idle = this.idle;
    this.#busy = true;
    this.#cores.run(job.microseconds, () => {
      this.#busy = false;
      this.#idleSince = this.#clock.now;
      job.then();
      this.#next();
    });
  }
}
