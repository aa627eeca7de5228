import { failure } from '../../../service/layer.js';
import type { FailurePolicy } from './statuses.js';

/**
 * Which statuses a request can get before it reaches its handler, and the body that error-answers.ts gives
 * them. The contract must document each of them.
 */
export const failurePolicy: FailurePolicy = {
  statusesOf({ security, requestBody }) {
    return [
      // 400: the request cannot be read. 408: it is too slow. 500: the handler fails.
      ...[400, 408, 500],
      // 401: the token is missing or bad. 429: its owner sends too much. 503: tokens cannot be looked up.
      ...(security.length > 0 ? [401, 429, 503] : []),
      ...(requestBody === undefined ? [] : [413, 415]),
    ];
  },
  bodyOf: (status) => failure(status, 'What is wrong.').body,
  madeBy: 'packages/service/src/errors/failure.ts',
};
