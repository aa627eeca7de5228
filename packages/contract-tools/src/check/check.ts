/**
 * Runs one check of a server: all probes in their order, and then the clean-up. Begin here.
 *
 * The probes share a `ProbeRun` (probes/probe-run.ts): what the document says, the exchange that sends
 * requests, the record of what was found, and what the operations mean. A probe returns nothing; what it sees
 * goes to the recorder. A run can end before its last probe, and what it created is removed in each case:
 *
 * - It is halted, by a signal or at the first finding (`failFast`): each further request is a HaltedError,
 *   which ends the probe that is running. The report has what was found so far.
 * - The server stops accepting connections, allows too few requests, or refuses the credentials that it took before:
 *   an UnreachableError, a LimitedError or a LostCredentialsError. If there are findings by then, they are
 *   reported. Otherwise the run could not find out, which is a CannotCheckError.
 * - Any other error is a mistake of the checker. The caller gets it, and the command ends with 2.
 */

import { randomInt } from 'node:crypto';
import type { Answer } from '../base/http/answer.js';
import { UnreachableError } from '../base/http/connection.js';
import { type Operation, operationsOf } from '../document/operations.js';
import type { ApiDocument } from '../document/read-document.js';
import { LostCredentialsError } from './answers/attempt.js';
import { checkHeaders } from './answers/check-answer.js';
import { Recorder } from './answers/findings.js';
import { accountsOf, type GivenCredentials, withoutUnmet } from './document/accounts.js';
import { CannotCheckError } from './document/cannot-check.js';
import { headersIn, withChosen } from './document/choices.js';
import { type Description, describe } from './document/description.js';
import { type Rules, rulesThatAreOff } from './document/rules.js';
import { withServers } from './document/servers.js';
import { probeLimits } from './probes/limits.js';
import type { ProbeRun } from './probes/probe-run.js';
import { probe } from './probes/table.js';
import { tryServer, unreachable } from './probes/try-server.js';
import { Exchange, HaltedError, LimitedError } from './requests/exchange.js';
import type { Request } from './requests/request.js';
import { withoutUnwritable } from './requests/unwritable.js';
import { Meaning } from './resources/meaning.js';
import { findNeverCalled, operationCount, unreachedOf, unseenOf } from './verdict/coverage.js';
import type { Report } from './verdict/report.js';
import { requireSuccess } from './verdict/require-success.js';
import { untriedOf } from './verdict/untried.js';

interface CheckOptions extends GivenCredentials {
  readonly document: ApiDocument;
  /** The operations to try; by default all that can be tried. */
  readonly isTried?: ((operation: Operation) => boolean) | undefined;
  readonly url: URL;
  /** The rules that hold beyond OpenAPI and HTTP. If left out, all of them do. */
  readonly rules?: Rules | undefined;
  /** What generated cases follow from, from 0 to 2^31 - 1; by default a random one. */
  readonly seed?: number | undefined;
  /** The number of cases to generate for each operation; by default 100. */
  readonly cases?: number | undefined;
  /** The requests are slowed down to this many per second; by default they are not. */
  readonly requestsPerSecond?: number | undefined;
  /** Ends the run; all that was created is removed in any case. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the run at its first finding. */
  readonly failFast?: boolean | undefined;
  readonly onCase?: ((operation: string, title: string, requests: number) => void) | undefined;
}

const defaults = { cases: 100, connections: 8 };

/**
 * Checks a server, and removes what the check has created.
 *
 * @throws {CannotCheckError} if the run can find nothing: nobody answers as the contract says, a token is
 *   missing, malformed or refused, or both tokens belong to one owner
 */
export async function check(options: CheckOptions): Promise<Report> {
  const started = performance.now();
  const seed = options.seed ?? randomInt(2 ** 31);
  const chosen = withChosen(describe(options.document, options.rules, options.isTried));
  const served = withServers(chosen.description, options.url);
  const described = served.description;
  const headers = headersIn(described.rules);
  const accounts = accountsOf(described, options);
  const writable = withoutUnwritable(described);
  const { description, leftOut } = withoutUnmet(writable.description, accounts);
  const halt = new AbortController();
  const signal = AbortSignal.any([halt.signal, ...(options.signal ? [options.signal] : [])]);
  const recorder = new Recorder({
    description,
    onCase: (operation, title) => options.onCase?.(operation, title, exchange.requests),
    onFinding: () => options.failFast && halt.abort(),
  });
  const exchange: Exchange = new Exchange({
    url: options.url,
    connections: defaults.connections,
    perSecond: options.requestsPerSecond,
    headers,
    signal,
    onSurplus: (request, bytes) => recordSurplus(recorder, description, request, bytes),
    onLimited: (request, answer) => recordLimited(recorder, description, request, answer),
  });
  const meaning = new Meaning({ description, exchange, recorder, accounts });
  const last = description.operations.filter((operation) => meaning.mayEndCredentials(operation));
  const run: ProbeRun = {
    ...{ description, exchange, recorder, meaning, accounts, seed },
    operations: description.operations.filter((operation) => !last.includes(operation)),
    cases: options.cases ?? defaults.cases,
    connections: defaults.connections,
    signal,
  };
  const left: string[] = [];
  try {
    const isWhole = await ended(run, () => probeMost(run));
    await tidy(run, left);
    if (isWhole && (await ended(run, () => probeLimits(run))))
      await ended(run, () => probeLast({ ...run, operations: last }));
  } catch (error) {
    await tidy(run, left);
    // Without a report, only the message can say what is still there.
    throw error instanceof CannotCheckError && left.length > 0
      ? new CannotCheckError([error.message, ...left].join(' '))
      : error;
  } finally {
    recorder.stopClock();
    for (const sentence of left) recorder.note(sentence);
    exchange.close();
    const { faults } = options.document;
    for (const sentence of [
      ...faults,
      ...operationsOf(options.document, true).leftOut,
      ...chosen.leftOut,
      ...served.leftOut,
      ...writable.leftOut,
      ...leftOut,
    ])
      recorder.note(sentence);
    const off = rulesThatAreOff(description.rules);
    if (off !== undefined) recorder.note(off);
  }
  return {
    ...{ url: options.url, file: options.document.name, seed, generated: run.cases, headers },
    rules: description.rules,
    checks: recorder.checks,
    findings: recorder.findings,
    notes: recorder.notes,
    operations: operationCount(description),
    unreached: unreachedOf(run),
    unseen: unseenOf(run),
    requests: exchange.requests,
    cases: recorder.cases,
    seconds: (performance.now() - started) / 1_000,
    interrupted: options.signal?.aborted ?? false,
  };
}

/** Tries everything but the operations that may end the credentials of the run. */
async function probeMost(run: ProbeRun): Promise<void> {
  await tryServer(run);
  await run.meaning.ready();
  await run.meaning.reach(run.operations);
  await probe(run, 'most');
}

/** Tries the operations that may end the credentials, when nothing needs these any more. */
async function probeLast(run: ProbeRun): Promise<void> {
  try {
    if (run.operations.length > 0) {
      await run.meaning.reach(run.operations);
      await probe(run, 'last');
    }
  } catch (error) {
    if (!(error instanceof LostCredentialsError)) throw error;
    run.recorder.note(`${error.message}, so it was tried last, and nothing was sent after it.`);
  }
  if (run.recorder.findings.length > 0) requireSuccess(run);
  findNeverCalled(run);
  for (const sentence of [...acceptedIn(run), ...untriedOf(run)]) run.recorder.note(sentence);
}

/** Says which findings were let through, and which acceptances let none through. */
function acceptedIn({ description, recorder }: ProbeRun): string[] {
  const { accept = [] } = description.rules;
  const used = accept.filter((one) => recorder.usedAcceptances.has(one));
  const stale = accept.filter((one) => !used.includes(one));
  return [
    ...used.map(({ operation, what, place }) => `${place} lets a finding of ${operation} through: ${what}.`),
    ...stale.map(
      ({ id, operation, pointer, place }) =>
        `${place} accepts nothing: ${operation} has no finding ${id} at ${pointer}. Take it away.`,
    ),
  ];
}

/**
 * Tries something, and says in a note why it ended early, if there are findings all the same.
 *
 * @returns whether it has come to its end
 * @throws {CannotCheckError} if it ended early, and found nothing
 */
async function ended(run: ProbeRun, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return !run.signal.aborted;
  } catch (error) {
    if (error instanceof HaltedError) return false;
    const because = whyEnded(run, error);
    if (because === undefined) throw error;
    // The findings are reported; without any, the run could not find out.
    if (run.recorder.findings.length === 0) throw because;
    run.recorder.note(`The run ended early. ${because.message}`);
    return false;
  }
}

function whyEnded({ exchange: { url } }: ProbeRun, error: unknown): CannotCheckError | undefined {
  if (error instanceof UnreachableError) return unreachable(url, error);
  if (error instanceof LimitedError)
    return new CannotCheckError(`The run of ${url.href} could not go on, because ${error.message}.`);
  if (error instanceof LostCredentialsError)
    return new CannotCheckError(
      `${error.message}: issue new ones, and leave it out by --exclude ${error.operation}.`,
    );
  return undefined;
}

/** Removes what the run has made, and adds a sentence for each thing that is still there. */
async function tidy({ exchange, meaning }: ProbeRun, left: string[]): Promise<void> {
  exchange.isCleaning = true;
  left.splice(0, left.length, ...(await meaning.cleanUp()));
  exchange.isCleaning = false;
}

function recordSurplus(
  recorder: Recorder,
  { operations }: Description,
  request: Request,
  bytes: number,
): void {
  const operation = operationAt(operations, request);
  recorder.find(
    operation?.id ?? `${request.method} ${request.target}`,
    'answers with one HTTP message',
    'what came later',
    [],
    {
      rule: 'bytes follow the answer',
      says: 'an answer is one HTTP message, no more and no less (RFC 9112, section 6.3)',
      path: operation?.node.path ?? ['paths'],
      did: `${bytes} bytes came when the answer was over`,
    },
  );
}

/** A 429 that is documented has its documented headers. Whatever stands before the server may answer one that is not. */
function recordLimited(
  recorder: Recorder,
  { operations }: Description,
  request: Request,
  answer: Answer,
): void {
  const operation = operationAt(operations, request);
  const response = operation?.responses.get(429);
  if (operation === undefined || response?.key !== '429') return;
  recorder.answered(operation.id, answer.status, { isValid: false, isRight: false });
  const breaches = checkHeaders(response, answer);
  recorder.find(
    operation.id,
    'says in a 429 what is documented',
    'too many requests',
    [{ request, outcome: answer }],
    ...breaches,
  );
}

/** The operation of a request; of several whose paths fit, such as `/reports/all` and `/reports/{name}`, the one with more fixed text. */
function operationAt(
  operations: readonly Operation[],
  { method, target }: Pick<Request, 'method' | 'target'>,
): Operation | undefined {
  const fitting = operations.filter((one) => one.method === method && pathPattern(one.path).test(target));
  const holes = ({ path }: Operation): number => path.split('{').length;
  return fitting.toSorted((one, other) => holes(one) - holes(other))[0];
}

function pathPattern(path: string): RegExp {
  const fixed = path.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${fixed.join('[^/?]+')}(\\?.*)?$`);
}
