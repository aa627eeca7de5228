/**
 * Runs one check of a server: all probes in their order, and then the clean-up. Begin here.
 *
 * The probes share a `ProbeRun` (probes/probe-run.ts): what the document says, the exchange that sends
 * requests, the record of what was found, and what the operations mean. A probe returns nothing; what it sees
 * goes to the recorder. A run can end before its last probe, and what it created is removed in each case:
 *
 * - It is halted, by a signal or at the first finding (`failFast`): each further request is a HaltedError,
 *   which ends the probe that is running. The report has what was found so far.
 * - The server stops accepting connections: an UnreachableError. If there are findings by then, they are
 *   reported. Otherwise the run could not find out, which is a CannotCheckError.
 * - Any other error is a mistake of the checker. The caller gets it, and the command ends with 2.
 */

import { randomInt } from 'node:crypto';
import { type Operation, operationsOf } from '../document/operations.js';
import type { ApiDocument } from '../document/read-document.js';
import { UnreachableError } from '../kit/http/connection.js';
import { Recorder } from './answers/findings.js';
import { accountsOf, type GivenCredentials, withoutUnmet } from './document/accounts.js';
import { type Description, describe } from './document/description.js';
import { type Rules, rulesThatAreOff } from './document/rules.js';
import { probeEarly, probeWholeLife } from './probes/collections.js';
import { probeHttpMethods } from './probes/http-methods.js';
import { probeInvalidRequests } from './probes/invalid-requests.js';
import { probeMethodsAndPaths } from './probes/methods.js';
import { probePendingWork } from './probes/pending-work.js';
import type { ProbeRun } from './probes/probe-run.js';
import { probeSecurity } from './probes/security.js';
import { probeServedDocument } from './probes/served-document.js';
import { probeTransport } from './probes/transport.js';
import { tryServer, unreachable } from './probes/try-server.js';
import { probeValidRequests } from './probes/valid-requests.js';
import { Exchange, HaltedError } from './requests/exchange.js';
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
  const described = describe(options.document, options.rules, options.isTried);
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
    signal,
    onSurplus: (request, bytes) => recordSurplus(recorder, description, request, bytes),
  });
  const meaning = new Meaning({ description, exchange, recorder, accounts });
  const run: ProbeRun = {
    ...{ description, exchange, recorder, meaning, accounts, seed },
    cases: options.cases ?? defaults.cases,
    connections: defaults.connections,
    signal,
  };
  try {
    await probeAll(run);
  } finally {
    recorder.stopClock();
    await tidy(run);
    const { faults } = options.document;
    for (const sentence of [
      ...faults,
      ...operationsOf(options.document).leftOut,
      ...writable.leftOut,
      ...leftOut,
    ])
      recorder.note(sentence);
    const off = rulesThatAreOff(description.rules);
    if (off !== undefined) recorder.note(off);
  }
  return {
    ...{ url: options.url, file: options.document.name, seed, generated: run.cases },
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

async function probeAll(run: ProbeRun): Promise<void> {
  try {
    await tryServer(run);
    await run.meaning.ready();
    await probeServedDocument(run);
    await probeMethodsAndPaths(run);
    await probeHttpMethods(run);
    await probeSecurity(run);
    await probeEarly(run);
    await probePendingWork(run);
    await probeValidRequests(run);
    await probeInvalidRequests(run);
    await probeTransport(run);
    await probeWholeLife(run);
    if (run.signal.aborted) return;
    if (run.recorder.findings.length > 0) requireSuccess(run);
    findNeverCalled(run);
    for (const sentence of untriedOf(run)) run.recorder.note(sentence);
  } catch (error) {
    if (error instanceof HaltedError) return;
    if (!(error instanceof UnreachableError)) throw error;
    // If the server stops during the run after findings, the findings are reported; otherwise the run failed.
    if (run.recorder.findings.length === 0) throw unreachable(run.exchange.url, error);
    run.recorder.note(`The run ended early: the server stopped taking connections (${error.message}).`);
  }
}

async function tidy({ exchange, meaning, recorder }: ProbeRun): Promise<void> {
  exchange.startCleaning();
  try {
    for (const left of await meaning.cleanUp()) recorder.note(left);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    recorder.note('The server is down: what the checker created is still there.');
  }
  exchange.close();
}

function recordSurplus(
  recorder: Recorder,
  { operations }: Description,
  request: Request,
  bytes: number,
): void {
  const operation = operations.find(
    ({ method, path }) => method === request.method && pathPattern(path).test(request.target),
  );
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

function pathPattern(path: string): RegExp {
  const fixed = path.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${fixed.join('[^/?]+')}(\\?.*)?$`);
}
