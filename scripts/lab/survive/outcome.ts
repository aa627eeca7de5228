import type { Answer } from '../../contract/check/answer-reader.js';

/** refused: it says that nothing was done. unknown: it may have been done, may come yet, or never. */
export type Outcome = 'done' | 'refused' | 'unknown';

/** @param answer undefined if none came */
export function outcomeOf(answer: Answer | undefined): Outcome {
  if (answer === undefined) return 'unknown';
  const { status } = answer;
  if (status < 400 || status === 404 || status === 409) return 'done';
  if (status !== 503) return status < 500 ? 'refused' : 'unknown';
  // The service's words, or a proxy's (docs/operations/proxies.md).
  return /may have been carried out|not known/.test(answer.body.toString()) ? 'unknown' : 'refused';
}
