/** Lends as many permits as there are, in the order in which they are asked for. */
export class Semaphore {
  #free: number;
  /** Those who wait, in the order of their arrival. */
  readonly #waiting = new Set<() => void>();

  constructor(permits: number) {
    this.#free = permits;
  }

  /** How many wait for a permit. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @returns false if no permit became free within `timeoutMs` */
  async acquire(timeoutMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#waiting.delete(enter);
        resolve(false);
      }, timeoutMs);
      const enter = () => {
        clearTimeout(late);
        resolve(true);
      };
      this.#waiting.add(enter);
    });
  }

  /** Gives a permit back, or hands it to whoever has waited for longest. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}
