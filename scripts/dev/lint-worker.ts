/** This is the thread of the linters (linter.ts): it answers each question with the problems of a file. */
import { parentPort } from 'node:worker_threads';
import { lintContract } from '../contract/lint/contract-linters.js';
import type { LintAnswer, LintQuestion } from './linter.js';

parentPort?.on('message', async ({ id, file }: LintQuestion) => {
  const problems = await lintContract(file);
  parentPort?.postMessage({ id, problems } satisfies LintAnswer);
});
