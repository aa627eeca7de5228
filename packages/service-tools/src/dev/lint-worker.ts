/** This is the thread of the linters (linter.ts): it answers each question with the problems of a file. */
import { parentPort } from 'node:worker_threads';
import { lintOwnContract } from '../lint/own-contract.js';
import type { LintAnswer, LintQuestion } from './linter.js';

parentPort?.on('message', async ({ id, file }: LintQuestion) => {
  const problems = await lintOwnContract(file);
  parentPort?.postMessage({ id, problems } satisfies LintAnswer);
});
