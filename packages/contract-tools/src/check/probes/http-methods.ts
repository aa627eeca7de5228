/**
 * Tries what RFC 9110 asks of every server about methods, whatever the document says: a 405 has `Allow`, which
 * names no method that is refused in the same way, and HEAD is answered where GET is. What a server does with
 * methods that its document does not have is its own affair otherwise (methods.ts tries the rule about them).
 */

import type { Answer } from '../../base/http/answer.js';
import type { Operation } from '../../document/operations.js';
import { successesOf } from '../../document/statuses.js';
import { brief, checkMethodRefusal } from '../answers/check-answer.js';
import type { Step } from '../answers/findings.js';
import { forEach } from '../requests/at-once.js';
import { plainRequest } from '../requests/plain-request.js';
import { isSilence } from '../requests/reply.js';
import { type Request, requestFor, targetFor } from '../requests/request.js';
import { allowedBy, connectionOf, isClosed, methodsBeside, safeMethods } from './methods.js';
import { type ProbeRun, preparePlain } from './probe-run.js';

const allowTitle = 'says in Allow which methods a path has';
const headTitle = 'answers HEAD where it answers GET';

export async function probeAllow(run: ProbeRun): Promise<void> {
  await forEach(run, run.description.paths, ([path, operations]) => tryAllow(run, path, operations));
}

export async function probeHead(run: ProbeRun): Promise<void> {
  const gets = run.operations.filter(({ method }) => method === 'GET');
  await forEach(run, gets, (get) => tryHead(run, get));
}

interface Refused {
  readonly method: string;
  readonly answer: Answer;
  readonly step: Step;
}

async function tryAllow(run: ProbeRun, path: string, operations: readonly Operation[]): Promise<void> {
  const [operation] = operations;
  if (operation === undefined) return;
  const { recorder } = run;
  const target = targetFor(operation, { path: plainRequest(operation).path });
  // A server that has a method after all refuses it without credentials, if it asks for them here.
  const tried = methodsBeside(operations).filter(
    (method) => safeMethods.includes(method) || isClosed(operations),
  );
  const refused: Refused[] = [];
  for (const method of tried) {
    recorder.case(`${method} ${path}`, allowTitle);
    const answered = await ask(
      run,
      { method, target, base: operation.base, headers: connectionOf(method) },
      operation,
    );
    if (answered?.answer.status === 405) refused.push({ method, ...answered });
  }
  for (const { method, answer, step } of refused) {
    const name = `${method} ${path}`;
    const place = ['paths', path];
    recorder.find(name, allowTitle, name, [step], ...checkMethodRefusal(answer, place));
    const wrong = refused.find((other) => allowedBy(answer).includes(other.method));
    if (wrong === undefined) continue;
    recorder.find(name, allowTitle, name, [step, wrong.step], {
      rule: 'Allow names a method that is refused',
      says: 'Allow lists the methods that are supported (RFC 9110, section 10.2.1)',
      path: place,
      did: `Allow is ${allowedBy(answer).join(', ')}, and ${wrong.method} is answered 405`,
    });
  }
}

/** Asks with credentials if the method is safe, and without them if not. */
async function ask(
  { exchange, accounts }: ProbeRun,
  request: Request,
  operation: Operation,
): Promise<{ answer: Answer; step: Step } | undefined> {
  const isSafe = safeMethods.includes(request.method);
  const sent = isSafe ? { ...request, credentials: accounts.first.shown(operation) } : request;
  const outcome = await exchange.send(sent);
  return isSilence(outcome) ? undefined : { answer: outcome, step: { request: sent, outcome } };
}

/** RFC 9110, section 9.3.2: the answer to HEAD is that to GET, without the body. */
async function tryHead(run: ProbeRun, get: Operation): Promise<void> {
  const { description, exchange, recorder } = run;
  const prepared = await preparePlain(run, get, 'accepted');
  if (prepared === undefined) return;
  const request = requestFor(get, prepared.values, run.accounts.first);
  const got = await exchange.send(request);
  if (isSilence(got) || !successesOf(get).includes(got.status)) return;
  recorder.case(get.id, headTitle);
  const asked = { ...request, method: 'HEAD', headers: [...request.headers, ...connectionOf('HEAD')] };
  const outcome = await exchange.send(asked);
  const isSaid = !isSilence(outcome) && (outcome.status === got.status || mayRefuse(outcome));
  if (isSaid) return;
  recorder.find(
    get.id,
    headTitle,
    'HEAD',
    [
      { request, outcome: got },
      { request: asked, outcome },
    ],
    {
      rule: 'HEAD is not answered as GET is',
      says: 'a server has HEAD where it has GET, and answers it alike without the body (RFC 9110, sections 9.1 and 9.3.2)',
      path: get.node.path,
      did: `GET is answered ${got.status}, and HEAD ${isSilence(outcome) ? outcome.reason : brief(outcome)}`,
      by: 'head',
    },
  );

  /** A server that promises to refuse what its document does not name may refuse HEAD, too. */
  function mayRefuse({ status }: Answer): boolean {
    return status === 405 && description.rules.on.has('undocumented-methods');
  }
}
