/** Finds out whether the server can be checked at all, before anything is tried. */

import type { Answer } from '../../base/http/answer.js';
import { UnreachableError } from '../../base/http/connection.js';
import { contentFor, isFit, wordsFor } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { isSafe } from '../../document/operations.js';
import { brief, isOfContract } from '../answers/check-answer.js';
import { type Account, type Accounts, variableOf } from '../document/accounts.js';
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
  const { description, exchange, accounts } = run;
  const secured = description.operations.filter((operation) => operation.secured);
  requireCredentials(secured, accounts);
  const plain = secured.filter(
    (operation) => isSafe(operation) && operation.parameters.every(({ in: place }) => place !== 'path'),
  );
  const [first] = plain;
  if (first !== undefined) exchange.canary = requestFor(first, plainRequest(first), accounts.first);
  await requireContract(run);
  for (const account of [accounts.first, accounts.second]) await requireGood(run, plain, account);
  if (first !== undefined) await requireTwoOwners(run);
}

/** @throws {CannotCheckError} if a credential is missing or malformed, or if both owners have the same one */
function requireCredentials(secured: readonly Operation[], { first, second, revoked }: Accounts): void {
  const closed = secured.find(({ anonymous }) => !anonymous);
  if (closed !== undefined && !first.isKnown) {
    throw new CannotCheckError(`There are no credentials: set ${first.lacks(closed)} of the server.`);
  }
  for (const one of secured.flatMap(({ requirements }) => requirements.flat())) {
    const [own, other] = [first.credentialOf(one), second.credentialOf(one)];
    for (const credential of [own, other, revoked.credentialOf(one)]) {
      if (credential === undefined || isFit(one.scheme, credential)) continue;
      throw new CannotCheckError(
        `${variableOf(credential)} cannot be sent: the contract asks for ${wordsFor(one.scheme)}, so set it to ${contentFor(one.scheme)}.`,
      );
    }
    if (own !== undefined && own.text === other?.text) {
      throw new CannotCheckError(
        `${variableOf(own)} and ${variableOf(other)} are one credential: set the second one to that of another owner, or unset it.`,
      );
    }
  }
}

/**
 * Shows each credential that requests of the run have, once.
 *
 * @throws {CannotCheckError} if the server refuses one
 */
async function requireGood(run: ProbeRun, plain: readonly Operation[], account: Account): Promise<void> {
  const shown = new Set<string>();
  for (const operation of plain) {
    const variables = account
      .met(operation)[0]
      ?.map(({ credential }) => variableOf(credential))
      .join(' and ');
    if (variables === undefined || shown.has(variables)) continue;
    shown.add(variables);
    const answer = await send(run, operation, account);
    if (answer.status === 401) {
      throw new CannotCheckError(
        `The server refuses what is in ${variables}: ${brief(answer)}. Issue a new credential.`,
      );
    }
  }
}

/**
 * Sends all requests that change nothing, with and without a token. A server that breaks the contract still
 * gives at least one answer of it; an address of something else gives none.
 */
async function requireContract(run: ProbeRun): Promise<void> {
  const { description, exchange, accounts } = run;
  const answers: string[] = [];
  for (const operation of description.operations.filter(isSafe)) {
    const accountsTried = operation.secured ? [accounts.first, undefined] : [undefined];
    for (const account of accountsTried) {
      const answer = await send(run, operation, account);
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
  account: Account | undefined,
): Promise<Answer> {
  const { url } = exchange;
  const request = requestFor(operation, plainRequest(operation), account);
  const outcome = await exchange.send(request).catch((error) => {
    throw error instanceof UnreachableError ? unreachable(url, error) : error;
  });
  if (isSilence(outcome)) {
    const says = /certificate[ _]required|handshake failure/i.test(outcome.reason)
      ? 'asks for a certificate of the client, which the check cannot show: let it ask a port that does not'
      : `does not speak HTTP: ${outcome.reason}`;
    throw new CannotCheckError(`${url.href} ${says}.`);
  }
  return outcome;
}

export function unreachable(url: URL, { message }: Error): CannotCheckError {
  const advice = /certificate/i.test(message)
    ? 'set NODE_EXTRA_CA_CERTS to the file with the certificate of the authority that has signed it'
    : 'start the server, or mend --url';
  return new CannotCheckError(`Nobody answers at ${url.href} (${message}): ${advice}.`);
}
