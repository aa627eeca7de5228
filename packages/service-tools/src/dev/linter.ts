/**
 * Runs the linters in a thread of their own, which loads them once. They take as long as all other steps
 * together.
 */
import { relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Problem, problemAt } from '../../../contract-tools/lint.js';
import { messageOf } from '../../../exact-json/index.js';

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

  readonly #waiting = new Map<number, { file: string; answer: (problems: Problem[]) => void }>();
  #asked = 0;
  #failure: string | undefined;

  constructor() {
    this.#worker.on('message', ({ id, problems }: LintAnswer) => {
      this.#waiting.get(id)?.answer(problems);
      this.#waiting.delete(id);
    });
    this.#worker.on('error', (error) => {
      this.#failure = messageOf(error);
      for (const { file, answer } of this.#waiting.values()) answer(this.#givenUp(file, this.#failure));
      this.#waiting.clear();
    });
  }

  /** @returns the problems of the file as it is now */
  lint(file: string): Promise<Problem[]> {
    const id = ++this.#asked;
    // Questions have numbers, because nobody waits for the answer if the contract turns out to be broken.
    return new Promise((answer) => {
      if (this.#failure !== undefined) return answer(this.#givenUp(file, this.#failure));
      this.#waiting.set(id, { file, answer });
      this.#worker.postMessage({ id, file } satisfies LintQuestion);
    });
  }

  /** The verdict goes on without the linters, and says so. */
  #givenUp(file: string, failure: string): Problem[] {
    const message = `The linters have ended (${failure}): start npm run dev again.`;
    return [problemAt(`${relative(process.cwd(), file)}:1:1`, 'linters-ended', message)];
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
