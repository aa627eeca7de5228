/**
 * Tries one case: sends its request, judges the answer, and records what is wrong with it.
 *
 * A wrong answer has several readings, and a finding should have the right one. So the questions come in this
 * order, and only the first that finds something is recorded:
 *
 * 1. Did an answer come, and was it HTTP?
 * 2. Is its status one that this request may have (expectations.ts), and does it fit what the document says
 *    of that status (check-answer.ts)?
 * 3. Is what it says about the item right (`verify`)? For example, an answer of createPlant must show the
 *    name that was sent.
 * 4. Do other operations agree with it (`untouched` for a request that must be refused, `follow` for others)?
 *    After a delete that was answered 204, a get must not find the item.
 *
 * The fourth question costs a request or two, and the others none. After a breach, `doubt` marks the item as
 * uncertain, so that later answers about it are not blamed on other operations.
 */

import type { Answer } from '../../base/http/answer.js';
import { isSafe, type Operation } from '../../document/operations.js';
import type { RuleName } from '../../document/rule-table.js';
import { listOf } from '../../resources/shape.js';
import { isArray, memberOf } from '../../values/json.js';
import { bodyOf, isSilence } from '../requests/reply.js';
import type { Request } from '../requests/request.js';
import { brief } from './check-answer.js';
import { type Expectation, excuseOf, judge } from './expectations.js';
import type { Breach, Step } from './findings.js';
import { breachesOfOwn } from './own-checks.js';
import type { Prepared } from './prepared.js';
import type { Run } from './run.js';

const ownTitle = 'keeps the checks of its users';

export interface Case {
  readonly operation: Operation;
  /** The name of the check; cases of one title are counted together. */
  readonly title: string;
  /** The case in a few words, for the finding. */
  readonly description: string;
  readonly request: Request;
  readonly expectation: Expectation;
  /** The request's origin, with further demands on its answer. */
  readonly prepared: Pick<Prepared, 'verify' | 'doubt' | 'follow' | 'untouched'>;
  /** The rule beyond OpenAPI and HTTP that the case tries, if it is one. */
  readonly by?: RuleName | undefined;
  /** Further demands on an answer that the document allows. */
  readonly verify?: ((answer: Answer) => Breach[]) | undefined;
  /**
   * Finds out by further requests whether the reason for an unexpected status is not what the case is about. One that
   * is answered alike without it shows that, and one that succeeds with it beside other values.
   */
  readonly isElsewhere?: ((status: number) => Promise<boolean>) | undefined;
}

/**
 * Tries one case, and records its breaches.
 *
 * @returns whether all is well
 * @throws {HaltedError} if the run is over
 * @throws {UnreachableError} if nobody accepts connections
 */
export async function attempt(run: Run, attempted: Case): Promise<boolean> {
  const { operation, title, description, request, expectation, prepared } = attempted;
  const { recorder } = run;
  recorder.case(operation.id, title);
  const step = await ask(run, operation, request, expectation, description);
  const { outcome } = step;
  const breaches = [...step.breaches];
  if (isSilence(outcome)) {
    recorder.find(operation.id, title, description, [step], ...breaches);
    return false;
  }
  const isUnexpected = !expectation.statuses.includes(outcome.status) && breaches.length > 0;
  if (isUnexpected && (await attempted.isElsewhere?.(outcome.status))) {
    prepared.verify?.(outcome);
    return true;
  }
  const isWellFormed = breaches.length === 0;
  // An answer of the right status tells what was created or deleted, even if its form is wrong.
  const isTold = isWellFormed || expectation.statuses.includes(outcome.status);
  const told = isTold ? (prepared.verify?.(outcome) ?? []) : [];
  if (isWellFormed) breaches.push(...(attempted.verify?.(outcome) ?? []), ...told);
  if (breaches.length > 0) prepared.doubt?.(outcome);
  for (const breach of breaches) {
    recorder.find(operation.id, title, description, [step], { by: attempted.by, ...breach });
  }
  // A request that should have been refused may have changed something, so it is tidied up in any case.
  const consequence =
    (await prepared.untouched?.(outcome)) ??
    (breaches.length === 0 ? await prepared.follow?.(step, outcome) : undefined);
  if (consequence !== undefined && breaches.length === 0) {
    prepared.doubt?.(outcome);
    const steps = [step, ...consequence.steps];
    recorder.find(operation.id, title, description, steps, consequence.breach);
  }
  return breaches.length === 0 && consequence === undefined;
}

/** The server took the credentials of the run, and refuses them since an operation was called. */
export class LostCredentialsError extends Error {
  override readonly name = 'LostCredentialsError';
  readonly operation: string;

  constructor(operation: string) {
    super(`The credentials of the run are refused since ${operation} was sent`);
    this.operation = operation;
  }
}

/** A request with its answer, and with all breaches of the document in the answer. */
export interface JudgedStep extends Step {
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly breaches: readonly Breach[];
  /** Whether it failed as documented for a reason around it, so that its answer says nothing of the item. */
  readonly isExcused?: boolean;
}

/**
 * Sends a request, judges its answer, and notes that the operation has answered. It records no finding: its
 * caller does.
 *
 * @param description the case in a few words, for the note about a documented failure that is not a finding
 * @throws {HaltedError} if the run is over
 * @throws {UnreachableError} if nobody accepts connections
 * @throws {LostCredentialsError} if the server refuses the credentials of the run, which it took before
 */
export async function ask(
  { description: document, exchange, recorder }: Pick<Run, 'description' | 'exchange' | 'recorder'>,
  operation: Operation,
  request: Request,
  expectation: Expectation,
  description?: string,
): Promise<JudgedStep> {
  const outcome = await exchange.send(request);
  if (isSilence(outcome)) {
    return { request, outcome, status: undefined, breaches: [noAnswer(operation, outcome.reason)] };
  }
  const { status } = outcome;
  if (status === 401 && expectation.fulfilled && (await exchange.hasLostCredentials(request)))
    throw new LostCredentialsError(recorder.lastChange ?? operation.id);
  if (status < 300 && !isSafe(operation)) recorder.lastChange = operation.id;
  recorder.answered(operation.id, status, {
    isValid: expectation.fulfilled,
    isRight: status < 400 && expectation.statuses.includes(status),
  });
  if (status < 300 && !recorder.hasTried(operation.id, 'an item') && showsItem(operation, outcome))
    recorder.tried(operation.id, 'an item');
  const isExcused = excuseOf(document, operation, expectation, outcome) === 'always';
  if (isExcused) recorder.excused(operation.id, status, description);
  const breaches = [
    ...judge(document, operation, expectation, outcome),
    ...checkCondition(operation, request, outcome),
  ];
  for (const breach of await breachesOfOwn(document.rules, exchange, operation, { request, outcome }))
    recorder.find(
      operation.id,
      ownTitle,
      description ?? 'a request of the run',
      [{ request, outcome }],
      breach,
    );
  return { request, outcome, status, breaches, isExcused };
}

/** Whether the list of an answer has an item. */
function showsItem(operation: Operation, answer: Answer): boolean {
  const list = operation.method === 'GET' ? listOf(operation) : undefined;
  if (list === undefined) return false;
  const body = bodyOf(answer);
  const items = list.member === undefined ? body : memberOf(body, list.member);
  return items !== undefined && isArray(items) && items.length > 0;
}

/**
 * RFC 9110, sections 15.4.5 and 15.5.13: a 304 and a 412 are about a condition of the request, so a request
 * without one gets neither.
 */
function checkCondition({ id, node, responses }: Operation, { headers }: Request, answer: Answer): Breach[] {
  const isAboutCondition = answer.status === 304 || answer.status === 412;
  if (!isAboutCondition || headers.some(([name]) => /^if-/i.test(name))) return [];
  return [
    {
      rule: `${answer.status} without a condition`,
      says: `${id} answers ${answer.status} only to a request with a condition (RFC 9110, section 13)`,
      path: responses.get(answer.status)?.node.path ?? node.path,
      did: `${brief(answer)}, and the request has no header such as If-Match`,
    },
  ];
}

function noAnswer({ id, node }: Operation, reason: string): Breach {
  return {
    rule: 'no answer',
    says: `${id} answers every request`,
    path: node.at('responses')?.path ?? node.path,
    did: reason,
  };
}
