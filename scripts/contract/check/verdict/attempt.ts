/** Tries one case: sends its request, judges the answer, and records what is wrong with it. */
import type { Answer } from '../../../kit/http/answer.js';
import type { Operation } from '../document/description.js';
import type { RuleName } from '../document/rules.js';
import type { Prepared } from '../requests/prepared.js';
import type { Request } from '../requests/request.js';
import type { Run } from '../run.js';
import { type Expectation, excuseOf, judge } from './expectations.js';
import { type Breach, isSilence, type Step } from './findings.js';

interface Case {
  readonly operation: Operation;
  /** The name of the check; cases of one title are counted together. */
  readonly title: string;
  readonly description: string;
  readonly request: Request;
  readonly expectation: Expectation;
  /** The request's origin, with further demands on its answer. */
  readonly prepared: Pick<Prepared, 'verify' | 'doubt' | 'follow' | 'untouched'>;
  /** The rule beyond OpenAPI and HTTP that the case tries, if it is one. */
  readonly by?: RuleName | undefined;
  /** Further demands on an answer that the document allows. */
  readonly verify?: ((answer: Answer) => Breach[]) | undefined;
}

/**
 * Tries one case, and records its breaches.
 *
 * @returns whether all is well
 * @throws {HaltedError} if the run is over
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

/** A request with its answer, and with all breaches of the document in the answer. */
export interface JudgedStep extends Step {
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly breaches: readonly Breach[];
  /** Whether it failed as documented for a reason around it, so that its answer says nothing of the item. */
  readonly isExcused?: boolean;
}

/**
 * Sends a request, and records the status of its answer.
 *
 * @param description the case, for a documented failure that is no finding
 * @throws {HaltedError} if the run is over
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
  const isFulfilled = expectation.fulfilled && status < 400 && expectation.statuses.includes(status);
  recorder.answered(operation.id, status, isFulfilled);
  const isExcused = excuseOf(document, operation, expectation, outcome) === 'always';
  if (isExcused) recorder.excused(operation.id, status, description);
  const breaches = judge(document, operation, expectation, outcome);
  return { request, outcome, status, breaches, isExcused };
}

function noAnswer({ id, node }: Operation, reason: string): Breach {
  return {
    rule: 'no answer',
    says: `${id} answers every request`,
    path: node.at('responses')?.path ?? node.path,
    did: reason,
  };
}
