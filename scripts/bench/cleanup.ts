type Step = () => Promise<unknown> | unknown;

/** What has to be undone, last made first undone: at the end, after a failure, and at an interrupt. */
export class Cleanup {
  readonly #steps: Step[] = [];
  #ending: Promise<void> | undefined;

  /** What comes too late is undone at once. */
  add(step: Step): void {
    this.#steps.push(step);
    if (this.#ending !== undefined) this.#ending = this.#ending.then(() => this.#undo());
  }

  get ended(): boolean {
    return this.#ending !== undefined;
  }

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
        // The other steps are to be taken all the same.
        console.error(error instanceof Error ? error.message : error);
      }
    }
  }

  /** Whatever ends the process early does so only after everything is undone. */
  beforeExit(): void {
    const exit = (code: number) => void this.run().then(() => process.exit(code));
    const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
    for (const [signal, number] of Object.entries(numbers)) process.on(signal, () => exit(128 + number));
    // Nobody reads what is written: `npm run bench | head` is such a reader.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => exit(2));
    process.on('uncaughtException', (error) => {
      console.error(error);
      exit(2);
    });
  }
}
