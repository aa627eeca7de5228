/**
 * Tries work that takes time: an operation that answers 202 (RFC 9110, section 15.3.3) has not done anything yet,
 * and its answer should point to something that says how far the work is.
 *
 * 1. Each operation with a documented 202 is called once. Where its work is seen, its `Location` says, or an
 *    OpenAPI link, or an id in the body that fits the path parameter of a GET by its name.
 * 2. That is asked until the work is over (follow-work.ts). Each body on the way must fit the document, and what
 *    is over stays as it is. Work that does not end within some seconds is named, and not judged. If a DELETE
 *    leads to its own item, the absence of the item is the end.
 * 3. What the last answer links to must be there, and fit the document.
 * 4. Nobody but the owner is shown any of it. Of what may have been there before the work, that is not known.
 *
 * Without this, operations such as `GET /runs/{run}` would never be answered with success, because only the work
 * itself makes a run.
 */
import type { Operation } from '../../document/operations.js';
import { absences, succeeded } from '../../document/statuses.js';
import { ask, type JudgedStep } from '../answers/attempt.js';
import { brief } from '../answers/check-answer.js';
import { accepted, refused } from '../answers/expectations.js';
import { forEach } from '../requests/at-once.js';
import { type Linked, valuesAt } from '../requests/followed.js';
import { isSilence } from '../requests/reply.js';
import { requestFor } from '../requests/request.js';
import { denials, doubt, judgeDenial } from './denied.js';
import { followWork, type Monitored } from './follow-work.js';
import { preparePlain } from './probe-run.js';
import type { RowTrial } from './trial.js';
import { isAbove, monitorOf, type Nowhere, resultsIn } from './work-places.js';

export async function probePendingWork(trial: RowTrial): Promise<void> {
  const { run } = trial;
  const beginners = run.operations.filter(({ responses }) => responses.get(202)?.key === '202');
  await forEach(run, beginners, (operation) => tryWork(trial, operation));
}

async function tryWork(trial: RowTrial, operation: Operation): Promise<void> {
  const { run } = trial;
  const prepared = await preparePlain(run, operation, 'accepted');
  if (prepared === undefined) return;
  trial.begin(operation);
  const request = requestFor(operation, prepared.values, run.accounts.first);
  const begun = await ask(run, operation, request, accepted(operation, prepared.statuses));
  if (isSilence(begun.outcome)) return;
  prepared.verify?.(begun.outcome);
  if (begun.status !== 202) return;
  trial.judge(operation, 'work begins', begun);
  const monitor = monitorOf(run, operation, begun, prepared.values);
  if (monitor === undefined) {
    return run.recorder.note(
      `${operation.id} answered 202, and its answer says nothing by which the work could be followed.`,
    );
  }
  if ('leadsTo' in monitor) return leadsNowhere(trial, operation, begun, monitor);
  await tryMonitor(trial, operation, begun, monitor);
}

/** Follows the work from its monitor to its results. */
async function tryMonitor(
  trial: RowTrial,
  operation: Operation,
  begun: JudgedStep,
  monitor: Linked,
): Promise<void> {
  const { run } = trial;
  const { recorder } = run;
  const get = monitor.operation;
  trial.begin(get);
  const shows = monitoredBy(operation, monitor.target, begun);
  const { last, over, changed } = await followWork(run, monitor, shows, begun.outcome);
  if (absences.includes(last.status ?? 0) && over === undefined && shows !== 'removed item') {
    // Some servers show what is made only when it is made.
    return recorder.note(`${operation.id} answered 202, and what it makes was not there after some seconds.`);
  }
  trial.judge(get, 'work is on its way', last, [begun, last]);
  if (changed !== undefined && over !== undefined) {
    const did = `its state was ${over.state.word}, and later ${changed.state.word ?? 'none'}`;
    const rule = 'work that is over goes on';
    trial.find(get, 'work is over', [over, changed], { rule, did });
  }
  const isJudged = last.breaches.length > 0 || changed !== undefined;
  const { word } = last.state;
  if (over === undefined && !isJudged && word !== undefined)
    recorder.note(
      `The work of ${operation.id} did not end within some seconds: its last state was "${word}".`,
    );
  if (shows !== 'work') return;
  await keepFromOthers(trial, monitor);
  if (over?.state.isDone && !isJudged) await tryResults(trial, monitor, begun, over);
}

function monitoredBy(operation: Operation, target: string, { request }: JudgedStep): Monitored {
  if (!isAbove(target, request.target)) return 'work';
  return operation.method === 'DELETE' && isAbove(request.target, target) ? 'removed item' : 'item';
}

/** Looks at what the work has made. */
async function tryResults(
  trial: RowTrial,
  monitor: Linked,
  begun: JudgedStep,
  over: JudgedStep,
): Promise<void> {
  const { run } = trial;
  const get = monitor.operation;
  for (const result of resultsIn(run, monitor, begun, over)) {
    const { operation, target } = result;
    trial.begin(operation);
    const request = { ...requestFor(operation, valuesAt(result), run.accounts.first), target };
    const call = await ask(run, operation, request, accepted(operation));
    if (absences.includes(call.status ?? 0)) {
      const did = `it says that the work is over and leads to ${target}, which is answered ${call.status}`;
      const rule = 'what the work has made is not there';
      trial.find(get, 'work is over', [over, call], { rule, did });
      continue;
    }
    trial.judge(operation, 'what the work has made', call, [over, call]);
    if (succeeded(operation, call) && !result.isShared) await keepFromOthers(trial, result);
  }
}

/** Tries whether anybody else is shown what the owner was just shown. */
async function keepFromOthers(trial: RowTrial, { operation, ...linked }: Linked): Promise<void> {
  const { run } = trial;
  if (!operation.secured || operation.anonymous) return;
  const values = valuesAt({ operation, ...linked });
  const path = operation.node.at('security')?.path ?? ['security'];
  const nobody = { ...requestFor(operation, values), target: linked.target };
  const expectation = refused(operation, 'credentials', 'has no good credentials', path);
  const refusal = await ask(run, operation, nobody, expectation);
  trial.judge(operation, 'no credentials', refusal);
  const { second } = run.accounts;
  if (!second.isKnown || !second.mayCall(operation) || !trial.isOn('isolation')) return;
  const request = { ...requestFor(operation, values, second), target: linked.target };
  const call = await ask(
    run,
    operation,
    request,
    accepted(operation, [...accepted(operation).statuses, ...denials]),
  );
  if (!succeeded(operation, call) || isSilence(call.outcome)) return judgeDenial(trial, operation, call);
  const did = `the second owner's request was answered ${brief(call.outcome)} ${doubt}`;
  const rule = "what another owner's work has made is shown";
  trial.find(operation, 'the second owner', [call], { rule, did, by: 'isolation' });
}

/** RFC 9110, section 15.3.3: the answer points to what describes the status of the work. */
async function leadsNowhere(
  trial: RowTrial,
  operation: Operation,
  begun: JudgedStep,
  { leadsTo }: Nowhere,
): Promise<void> {
  if (monitoredBy(operation, leadsTo, begun) === 'removed item') return;
  const request = { ...begun.request, method: 'GET', body: undefined, headers: [], target: leadsTo };
  const outcome = await trial.run.exchange.send(request);
  if (isSilence(outcome) || !absences.includes(outcome.status)) return;
  const says =
    'the answer to a request whose work has begun points to what describes it (RFC 9110, section 15.3.3)';
  const did = `it leads to ${leadsTo}, which is answered ${brief(outcome)}`;
  trial.find(operation, 'work begins', [begun, { request, outcome }], {
    ...{ rule: 'work that has begun is not to be seen', did, says },
  });
}
