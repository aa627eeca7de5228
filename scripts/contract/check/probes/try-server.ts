/** Finds out whether the server can be checked at all, before anything is tried. */

import { bearer, type Credential, contentFor, isFit, wordsFor } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { isSafe } from '../../document/operations.js';
import type { Answer } from '../../kit/http/answer.js';
import { UnreachableError } from '../../kit/http/connection.js';
import { brief, isOfContract } from '../answers/check-answer.js';
import { CannotCheckError } from '../document/cannot-check.js';
import { plainRequest } from '../requests/plain-request.js';
import { isSilence } from '../requests/reply.js';
import { requestFor } from '../requests/request.js';
import { requireTwoOwners } from './collections.js';
import type { ProbeRun } from './probe-run.js';

/**
 * A server that is down, a wrong address and a refused token are not findings, because nothing else could be
 * tried.
 *
 * @throws {CannotCheckError} if nobody answers as the contract says, if a token is missing, malformed or
 *   refused, or if both tokens belong to one owner
 * @throws {HaltedError} if the run is over
 * @throws {UnreachableError} if the server stops accepting connections while the owners are told apart
 */
export async function tryServer(run: ProbeRun): Promise<void> {
  const { description, exchange, token, otherToken, revokedToken } = run;
  const secured = description.operations.filter((operation) => operation.secured);
  const scheme = secured[0]?.scheme ?? bearer;
  if (secured.some(({ anonymous }) => !anonymous) && token === undefined) {
    throw new CannotCheckError(`PLANTS_TOKEN is not set: set it to ${contentFor(scheme)} of the server.`);
  }
  const variables = Object.entries({
    PLANTS_TOKEN: token,
    PLANTS_OTHER_TOKEN: otherToken,
    PLANTS_REVOKED_TOKEN: revokedToken,
  });
  const unfit = variables.find(([, credential]) => credential && !isFit(scheme, credential));
  if (secured.length > 0 && unfit !== undefined) {
    throw new CannotCheckError(
      `${unfit[0]} cannot be sent: the contract asks for ${wordsFor(scheme)}, so set it to ${contentFor(scheme)}.`,
    );
  }
  if (token !== undefined && token.text === otherToken?.text) {
    throw new CannotCheckError(
      'PLANTS_TOKEN and PLANTS_OTHER_TOKEN are one token: set the second one to a token of another owner, or unset it.',
    );
  }
  const first = secured.find(
    (operation) => isSafe(operation) && operation.parameters.every(({ in: place }) => place !== 'path'),
  );
  if (first !== undefined) exchange.canary = requestFor(first, plainRequest(first), token);
  await requireContract(run);
  if (first === undefined) return;
  for (const [variable, credential] of Object.entries({
    PLANTS_TOKEN: token,
    PLANTS_OTHER_TOKEN: otherToken,
  })) {
    if (credential === undefined) continue;
    const answer = await send(run, first, credential);
    if (answer.status === 401) {
      throw new CannotCheckError(
        `The server refuses the token in ${variable}: ${brief(answer)}. Issue a new one.`,
      );
    }
  }
  await requireTwoOwners(run);
}

/**
 * Sends all requests that change nothing, with and without a token. A server that breaks the contract still
 * gives at least one answer of it; an address of something else gives none.
 */
async function requireContract(run: ProbeRun): Promise<void> {
  const { description, exchange, token } = run;
  const answers: string[] = [];
  for (const operation of description.operations.filter(isSafe)) {
    for (const credential of new Set([operation.secured ? token : undefined, undefined])) {
      const answer = await send(run, operation, credential);
      if (isOfContract(description, operation, answer)) return;
      answers.push(`${operation.method} ${operation.path} is answered ${brief(answer)}`);
    }
  }
  const [answer] = answers;
  if (answer === undefined) return;
  throw new CannotCheckError(
    `Nothing at ${exchange.url.href} answers as the contract says, so it is another server, or the base path is wrong: correct --url (${answer}).`,
  );
}

async function send(
  { exchange }: ProbeRun,
  operation: Operation,
  credential: Credential | undefined,
): Promise<Answer> {
  const { url } = exchange;
  const request = requestFor(operation, plainRequest(operation), credential);
  const outcome = await exchange.send(request).catch((error) => {
    throw error instanceof UnreachableError ? unreachable(url, error) : error;
  });
  if (isSilence(outcome)) throw new CannotCheckError(`${url.href} does not speak HTTP: ${outcome.reason}.`);
  return outcome;
}

export function unreachable(url: URL, { message }: Error): CannotCheckError {
  return new CannotCheckError(`Nobody answers at ${url.href} (${message}): start the server, or mend --url.`);
}
