/** A client that creates one plant after the other, and knows when each was acknowledged. */
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../../../kit/testing.js';
import { newPlantText } from '../../../service/test/support/plants.js';

const pauseMs = 10;

export class Writer {
  readonly #url: string;
  readonly #token: string;
  readonly #ids: number[] = [];
  readonly #times: number[] = [];
  #running: Promise<void> = Promise.resolve();
  #stopping = false;
  /** Creates that were not acknowledged. */
  refused = 0;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  get ids(): readonly number[] {
    return this.#ids;
  }

  /** Milliseconds of performance.now(). @returns undefined if nothing was acknowledged since */
  firstAfter(moment: number): number | undefined {
    return this.#times.find((time) => time >= moment);
  }

  /** The longest time between two acknowledged writes since `moment`. */
  longestGapSince(moment: number): number {
    const times = [moment, ...this.#times.filter((time) => time >= moment)];
    return Math.max(...times.slice(1).map((time, at) => time - (times[at] ?? time)));
  }

  async #run(): Promise<void> {
    for (let id = 1; !this.#stopping; id++) {
      const body = newPlantText({ id, name: `plant ${id}` });
      const status = await call(this.#url, 'POST', '/plants', { token: this.#token, body }).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) {
        this.#ids.push(id);
        this.#times.push(performance.now());
      } else this.refused++;
      await pause(pauseMs);
    }
  }
}
