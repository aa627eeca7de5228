import type { Answer } from './answer-reader.js';
import type { Operation } from './description.js';
import { type Expectation, judge } from './expectations.js';
import { type Breach, isSilence, type Step } from './findings.js';
import type { Consequence } from './meaning.js';
import type { Request } from './request.js';
import type { Run } from './run.js';

export interface Case {
  readonly operation: Operation;
  /** What the check tries; cases of one title are counted together. */
  readonly title: string;
  readonly description: string;
  readonly request: Request;
  readonly expectation: Expectation;
  /** What else to ask of an answer that the document allows. */
  readonly verify?: ((answer: Answer) => Breach[]) | undefined;
  /** What the request may not have changed. */
  readonly untouched?: (() => Promise<Consequence | undefined>) | undefined;
}

/** Tries one case and records what is wrong. @returns whether all is well */
export async function attempt(run: Run, attempted: Case): Promise<boolean> {
  const { operation, title, description, request, expectation } = attempted;
  const { recorder, exchange } = run;
  recorder.case(operation.id, title);
  const outcome = await exchange.send(request);
  const step: Step = { request, outcome };
  if (isSilence(outcome)) {
    recorder.find(operation.id, title, description, [step], noAnswer(operation, outcome.reason));
    return false;
  }
  const breaches = judge(run.description, operation, expectation, outcome);
  if (breaches.length === 0) breaches.push(...(attempted.verify?.(outcome) ?? []));
  for (const breach of breaches) recorder.find(operation.id, title, description, [step], breach);
  // A request that was not refused may well have changed something; it is tidied up all the same.
  const consequence = await attempted.untouched?.();
  if (consequence !== undefined && breaches.length === 0) {
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
