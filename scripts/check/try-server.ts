/** What must hold before anything can be tried. */
import { brief } from './answers.js';
import { UnreachableError } from './connection.js';
import { isSilence } from './findings.js';
import { plainRequest } from './plain-request.js';
import { requestFor } from './request.js';
import { isSafe, type Run } from './run.js';

/** The run could not be done; one line says why, and what to do. */
export class CannotCheckError extends Error {
  override readonly name = 'CannotCheckError';
}

/** A server that is down and a token that is refused are no findings: nothing else could be tried. */
export async function tryServer(run: Run): Promise<void> {
  const { description, exchange, token, otherToken } = run;
  const { url } = exchange;
  const secured = description.operations.filter((operation) => operation.secured);
  if (secured.some(({ anonymous }) => !anonymous) && token === undefined) {
    throw new CannotCheckError('PLANTS_TOKEN is not set: set it to an access token of the server.');
  }
  const first = secured.find(
    (operation) => isSafe(operation) && operation.parameters.every(({ in: place }) => place !== 'path'),
  );
  if (first === undefined) return;
  exchange.canary = requestFor(first, plainRequest(first), token);
  for (const [variable, credential] of Object.entries({
    PLANTS_TOKEN: token,
    PLANTS_OTHER_TOKEN: otherToken,
  })) {
    if (credential === undefined) continue;
    const outcome = await exchange.send(requestFor(first, plainRequest(first), credential)).catch((error) => {
      throw error instanceof UnreachableError ? unreachable(url, error) : error;
    });
    if (isSilence(outcome)) throw new CannotCheckError(`${url.href} does not speak HTTP: ${outcome.reason}.`);
    if (outcome.status === 401) {
      throw new CannotCheckError(
        `The server refuses the token in ${variable}: ${brief(outcome)}. Issue a new one.`,
      );
    }
  }
}

export function unreachable(url: URL, { message }: Error): CannotCheckError {
  return new CannotCheckError(`Nobody answers at ${url.href} (${message}): start the server, or mend --url.`);
}
