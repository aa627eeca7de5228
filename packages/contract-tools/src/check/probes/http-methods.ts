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
import { isSilence } from '../requests/reply.js';
import { requestFor } from '../requests/request.js';
import { allowedBy, connectionOf, methodsBeside, safeMethods, sendStray } from './methods.js';
import { preparePlain } from './probe-run.js';
import type { RowTrial } from './trial.js';

export async function probeAllow(trial: RowTrial): Promise<void> {
  const { run } = trial;
  // The rule says more of the same requests.
  if (trial.isOn('undocumented-methods')) return;
  await forEach(run, run.description.paths, ([path, operations]) => tryAllow(trial, path, operations));
}

export async function probeHead(trial: RowTrial): Promise<void> {
  const { run } = trial;
  const gets = run.operations.filter(({ method }) => method === 'GET');
  await forEach(run, gets, (get) => tryHead(trial, get));
}

/** What a path has, a server refuses without credentials, if it asks for them here. */
async function tryAllow(trial: RowTrial, path: string, operations: readonly Operation[]): Promise<void> {
  const tried = methodsBeside(trial.run.description, path, operations).filter(
    ({ authorized, method }) => authorized === safeMethods.includes(method),
  );
  const refused: { readonly method: string; readonly answer: Answer; readonly step: Step }[] = [];
  for (const { method, ...stray } of tried) {
    trial.begin({ id: `${method} ${path}` });
    const step = await sendStray(trial.run, { method, ...stray });
    const { outcome: answer } = step;
    if (!isSilence(answer) && answer.status === 405) refused.push({ method, answer, step });
  }
  for (const { method, answer, step } of refused) {
    const id = `${method} ${path}`;
    const place = ['paths', path];
    trial.record({ id }, id, [step], ...checkMethodRefusal(answer, place));
    const wrong = refused.find((other) => allowedBy(answer).includes(other.method));
    if (wrong === undefined) continue;
    trial.record({ id }, id, [step, wrong.step], {
      rule: 'Allow names a method that is refused',
      says: 'Allow lists the methods that are supported (RFC 9110, section 10.2.1)',
      path: place,
      did: `Allow is ${allowedBy(answer).join(', ')}, and ${wrong.method} is answered 405`,
    });
  }
}

/** RFC 9110, section 9.3.2: the answer to HEAD is that to GET, without the body. */
async function tryHead(trial: RowTrial, get: Operation): Promise<void> {
  const { accounts, exchange } = trial.run;
  const prepared = await preparePlain(trial.run, get, 'accepted');
  if (prepared === undefined) return;
  const request = requestFor(get, prepared.values, accounts.first);
  const got = await exchange.send(request);
  if (isSilence(got) || !successesOf(get).includes(got.status)) return;
  trial.begin(get);
  const asked = { ...request, method: 'HEAD', headers: [...request.headers, ...connectionOf('HEAD')] };
  const outcome = await exchange.send(asked);
  // A server that promises to refuse what its document does not name may refuse HEAD, too.
  const right = [got.status, ...(trial.isOn('undocumented-methods') ? [405] : [])];
  if (!isSilence(outcome) && right.includes(outcome.status)) return;
  const steps = [
    { request, outcome: got },
    { request: asked, outcome },
  ];
  trial.find(get, 'HEAD', steps, {
    rule: 'HEAD is not answered as GET is',
    says: 'a server has HEAD where it has GET, and answers it alike without the body (RFC 9110, sections 9.1 and 9.3.2)',
    path: get.node.path,
    did: `GET is answered ${got.status}, and HEAD ${isSilence(outcome) ? outcome.reason : brief(outcome)}`,
  });
}
