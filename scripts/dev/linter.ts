/**
 * Runs the linters in a thread of their own, which loads them once. They take as long as all other steps
 * together.
 */
import { Worker } from 'node:worker_threads';
import type { Problem } from '../contract/lint/problem.js';

export interface LintQuestion {
  readonly id: number;
  readonly file: string;
}

export interface LintAnswer {
  readonly id: number;
  readonly problems: Problem[];
}

export class Linter {
  // tsx registers itself in a worker only if the worker's own file asks for it.
  readonly #worker = new Worker(
    `import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))})
       .then(({ register }) => { register(); return import(${JSON.stringify(import.meta.resolve('./lint-worker.js'))}); });`,
    { eval: true },
  );

  readonly #waiting = new Map<number, (problems: Problem[]) => void>();
  #asked = 0;

  constructor() {
    this.#worker.on('message', ({ id, problems }: LintAnswer) => {
      this.#waiting.get(id)?.(problems);
      this.#waiting.delete(id);
    });
  }

  /** @returns the problems of the file as it is now */
  lint(file: string): Promise<Problem[]> {
    const id = ++this.#asked;
    // Questions have numbers, because nobody waits for the answer if the contract turns out to be broken.
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, file } satisfies LintQuestion);
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
