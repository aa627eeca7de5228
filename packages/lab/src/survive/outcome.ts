/**
 * Says what became of a request, by its answer. Nobody may count a request as not done because no good answer
 * came.
 */
import type { Answer } from '../../../contract-tools/base.js';

/**
 * What became of a request. "refused" means that nothing was done. "unknown" means that it may have been
 * done, or may be done later, or never.
 */
type Outcome = 'done' | 'refused' | 'unknown';

/** @param answer undefined if no whole answer came */
export function outcomeOf(answer: Answer | undefined): Outcome {
  if (answer === undefined) return 'unknown';
  const { status } = answer;
  if (status < 400 || status === 404 || status === 409) return 'done';
  if (status !== 503) return status < 500 ? 'refused' : 'unknown';
  // These are the words of the service, and of the proxies in docs/operations/proxies.md.
  return /may have been carried out|not known/.test(answer.body.toString()) ? 'unknown' : 'refused';
}
