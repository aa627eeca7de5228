/** Finds out whether the server can be checked at all, before anything is tried. */

import { bearer, type Credential, contentFor, isFit, wordsFor } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import type { Answer } from '../../kit/http/answer.js';
import { UnreachableError } from '../../kit/http/connection.js';
import { successesOf } from '../../resources/shape.js';
import { brief, isOfContract } from '../answers/check-answer.js';
import { isSilence } from '../answers/findings.js';
import { isSafe, type Run } from '../answers/run.js';
import { CannotCheckError } from '../document/cannot-check.js';
import { plainRequest } from '../requests/plain-request.js';
import { requestFor } from '../requests/request.js';

/**
 * A server that is down, a wrong address and a refused token are not findings, because nothing else could be
 * tried.
 *
 * @throws {CannotCheckError} if nobody answers as the contract says, if a token is missing, malformed or
 *   refused, or if both tokens belong to one owner
 * @throws {HaltedError} if the run is over
 * @throws {UnreachableError} if the server stops accepting connections while the owners are told apart
 */
export async function tryServer(run: Run): Promise<void> {
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
  await run.meaning.tryOwners();
}

/**
 * Sends all requests that change nothing, with and without a token. A server that breaks the contract still
 * gives at least one answer of it; an address of something else gives none.
 */
async function requireContract(run: Run): Promise<void> {
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

/** Many servers answer these to a method that they know nowhere, whatever the path (RFC 9110, 15.5.6, 15.6.2). */
const refusalsOfMethods = [405, 501];

/**
 * Looks at a whole run that found something. At a wrong address, a document may happen to have the status that
 * everything is answered with, such as 404 for an item, so that `requireContract` cannot tell.
 *
 * @throws {CannotCheckError} if no operation has ever succeeded, and all valid requests were answered alike,
 *   with a status that some of them do not document
 */
export function requireSuccess({ description, exchange, recorder }: Run): void {
  const answered = description.operations.map((operation) => ({
    operation,
    ...recorder.answersOf(operation.id),
  }));
  const hasSucceeded = answered.some(({ operation, statuses }) =>
    successesOf(operation).some((status) => statuses.has(status)),
  );
  const all = new Set(answered.flatMap(({ toValid }) => [...toValid]));
  const alike = [...all].filter((status) => !refusalsOfMethods.includes(status));
  const odd = answered.find(({ operation, toValid }) =>
    [...toValid].some((status) => !operation.responses.has(status)),
  );
  if (hasSucceeded || alike.length > 1 || odd === undefined) return;
  const statuses = [...all].sort().join(' or ');
  throw new CannotCheckError(
    `No operation succeeded at ${exchange.url.href}: every valid request was answered ${statuses}, which ${odd.operation.id} does not document. So it is another server, or the base path is wrong: correct --url.`,
  );
}

async function send(
  { exchange }: Run,
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
