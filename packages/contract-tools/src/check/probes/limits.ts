/**
 * Asks until a documented 429 comes, or so often that a client would rather not: its headers are judged where all 429s
 * are (../check.ts). It asks what needs no item, and once for each description of a 429, because many operations share one.
 * It comes behind the clean-up, which a limit must not keep from its work.
 */
import { isSafe, type Operation } from '../../document/operations.js';
import type { Run } from '../answers/run.js';
import { LimitedError } from '../requests/exchange.js';
import { plainRequest } from '../requests/plain-request.js';
import { requestFor } from '../requests/request.js';

const maxRequests = 20;

export async function probeLimits(run: Run): Promise<void> {
  const asked = new Set<string>();
  for (const operation of run.description.operations) {
    const limit = operation.responses.get(429);
    const needsItem = operation.parameters.some((parameter) => parameter.in === 'path');
    if (limit?.key !== '429' || needsItem || !isSafe(operation) || asked.has(limit.node.key)) continue;
    asked.add(limit.node.key);
    await ask(run, operation);
  }
}

async function ask({ accounts, exchange, recorder }: Run, operation: Operation): Promise<void> {
  const request = requestFor(operation, plainRequest(operation), accounts.first);
  try {
    for (let left = maxRequests; left > 0; left--) {
      if (recorder.answersOf(operation.id).statuses.has(429)) return;
      await exchange.send(request);
    }
  } catch (error) {
    if (!(error instanceof LimitedError)) throw error;
    recorder.note(`${operation.id} was asked until ${error.message}.`);
  }
}
