/**
 * Ends what a command has started, however the command ends: by itself, by a failure, or by a signal. Every
 * step is undone, the last one first, even if one of them fails.
 */
import type { Scope } from '../../contract-tools/base.js';

type Step = () => unknown;

export class Cleanup implements Scope {
  readonly #steps: Step[] = [];
  #ending: Promise<void> | undefined;

  /** Adds a step to undo. One that is added after the clean-up has begun is undone at once. */
  teardown(step: Step): void {
    this.#steps.push(step);
    if (this.#ending !== undefined) this.#ending = this.#ending.then(() => this.#undo());
  }

  /** Whether the clean-up has begun. */
  get ended(): boolean {
    return this.#ending !== undefined;
  }

  /** Undoes all steps, and those that are added meanwhile. It never rejects: failures are printed. */
  async run(): Promise<void> {
    this.#ending ??= this.#undo();
    let seen: unknown;
    while (seen !== this.#ending) {
      seen = this.#ending;
      await seen;
    }
  }

  async #undo(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        // A failing step must not keep the others from running.
        console.error(error instanceof Error ? error.message : error);
      }
    }
  }

  /**
   * From now on, undoes everything before an early end of the process: by a signal, a closed output or an
   * error.
   */
  beforeExit(): void {
    const exit = (code: number) => {
      process.exitCode = code;
      void this.run().then(() => process.exit(code));
    };
    const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
    for (const [signal, number] of Object.entries(numbers)) process.on(signal, () => exit(128 + number));
    // These fail if nobody reads the output any more, as after `npm run bench | head`.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => exit(2));
    process.on('uncaughtException', (error) => {
      console.error(error);
      exit(2);
    });
  }
}
