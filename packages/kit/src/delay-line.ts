/** Delivers everything that is put in, later and in the same order, as a long cable does. */
export class DelayLine {
  /** The delay of all that is put in from now on, unless something before it comes out even later. */
  delayMs: number;
  /** `due` is in milliseconds on the clock of `performance`. */
  readonly #waiting: { readonly due: number; deliver(): void }[] = [];

  constructor(delayMs: number) {
    this.delayMs = delayMs;
  }

  add(deliver: () => void): void {
    if (this.delayMs === 0 && this.#waiting.length === 0) {
      deliver();
      return;
    }
    this.#waiting.push({ due: performance.now() + this.delayMs, deliver });
    if (this.#waiting.length === 1) setTimeout(() => this.#deliverAll(), this.delayMs);
  }

  /**
   * Delivers what is due, or will be within half a millisecond, because timers know whole milliseconds only.
   */
  #deliverAll(): void {
    const now = performance.now() + 0.5;
    while (this.#waiting[0] !== undefined && this.#waiting[0].due <= now) this.#waiting.shift()?.deliver();
    if (this.#waiting[0] !== undefined) setTimeout(() => this.#deliverAll(), this.#waiting[0].due - now);
  }
}
