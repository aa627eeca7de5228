/** Limits how many requests are in flight at once. The others wait in a queue, first come, first served. */
export class Slots {
  readonly #count: number;
  #free: number;
  readonly #line: { readonly slots: number; enter(): void }[] = [];

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  use<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#use(1, work);
  }

  /** Does the work while no other is done. */
  useAll<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#use(this.#count, work);
  }

  async #use<Result>(slots: number, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((enter) => {
      this.#line.push({ slots, enter });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#free += slots;
      this.#admit();
    }
  }

  /** Lets the first of the queue in while there is room for it, so that nobody can overtake it. */
  #admit(): void {
    for (let next = this.#line[0]; next !== undefined && next.slots <= this.#free; next = this.#line[0]) {
      this.#free -= next.slots;
      this.#line.shift();
      next.enter();
    }
  }
}
