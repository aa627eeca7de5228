import type { Answer } from '../../kit/http/answer.js';
import type { Operation } from './description.js';
import { type Expectation, excuseOf, judge } from './expectations.js';
import { type Breach, isSilence, type Step } from './findings.js';
import type { Prepared } from './meaning.js';
import type { Request } from './request.js';
import type { RuleName } from './rules.js';
import type { Run } from './run.js';

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

/** Tries one case and records its faults. @returns whether all is well */
export async function attempt(run: Run, attempted: Case): Promise<boolean> {
  const { operation, title, description, request, expectation, prepared } = attempted;
  const { recorder, exchange } = run;
  recorder.case(operation.id, title);
  const outcome = await exchange.send(request);
  const step: Step = { request, outcome };
  if (isSilence(outcome)) {
    recorder.find(operation.id, title, description, [step], noAnswer(operation, outcome.reason));
    return false;
  }
  recorder.answered(
    operation.id,
    outcome.status,
    expectation.fulfilled && outcome.status < 400 && expectation.statuses.includes(outcome.status),
  );
  const excuse = excuseOf(run.description, operation, expectation, outcome);
  if (excuse === 'always') recorder.excused(operation.id, outcome.status, description);
  const breaches = judge(run.description, operation, expectation, outcome);
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

export function noAnswer({ id, node }: Operation, reason: string): Breach {
  return {
    rule: 'no answer',
    says: `${id} answers every request`,
    path: node.at('responses')?.path ?? node.path,
    did: reason,
  };
}
