import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The linters in a thread of their own, loaded once. One file at a time. */
export class Linter {
  // tsx registers itself in a worker only where the worker's file asks for it.
  readonly #worker = new Worker(
    `import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))})
       .then(({ register }) => { register(); return import(${JSON.stringify(new URL('./lint-worker.ts', import.meta.url).href)}); });`,
    { eval: true },
  );

  /** One line for each thing that a rule says. */
  async lint(file: string): Promise<string[]> {
    this.#worker.postMessage(file);
    const [lines] = await once(this.#worker, 'message');
    return lines;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
