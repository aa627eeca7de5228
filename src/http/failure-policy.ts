import type { FailurePolicy } from '../contract/start/statuses.js';
import { failure } from '../errors/failure.js';

/** Which failures can come without an operation's handler, and the form that error-answers.ts gives them. */
export const failurePolicy: FailurePolicy = {
  statusesOf({ security, requestBody }) {
    return [
      // HTTP that cannot be read; a slow request; a handler that fails.
      ...[400, 408, 500],
      // No valid token; too many requests of its owner; no database of tokens.
      ...(security.length > 0 ? [401, 429, 503] : []),
      ...(requestBody === undefined ? [] : [413, 415]),
    ];
  },
  bodyOf: (status) => failure(status, 'What is wrong.').body,
  madeBy: 'src/errors/failure.ts',
};
