/** A thread for the linters: they take as long as everything else together, and there is a second core. */
import { parentPort } from 'node:worker_threads';
import { lintContract } from '../lint/contract-linters.js';
import type { LintAnswer, LintQuestion } from './linter.js';

parentPort?.on('message', async ({ id, file }: LintQuestion) => {
  const problems = await lintContract(file);
  parentPort?.postMessage({ id, problems } satisfies LintAnswer);
});
