/** A thread for the linters: they take as long as everything else together, and there is a second core. */
import { parentPort } from 'node:worker_threads';
import { lineOf, lintContract } from '../contract-linters.js';

parentPort?.on('message', async (file: string) => {
  const problems = await lintContract(file);
  parentPort?.postMessage(problems.map(lineOf));
});
