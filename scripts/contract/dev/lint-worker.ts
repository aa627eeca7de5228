/** The linters run in a thread of their own, because they take as long as all other steps together. */
import { parentPort } from 'node:worker_threads';
import { lintContract } from '../lint/contract-linters.js';
import type { LintAnswer, LintQuestion } from './linter.js';

parentPort?.on('message', async ({ id, file }: LintQuestion) => {
  const problems = await lintContract(file);
  parentPort?.postMessage({ id, problems } satisfies LintAnswer);
});
