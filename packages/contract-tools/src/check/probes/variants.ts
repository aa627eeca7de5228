/**
 * Sends requests that differ from the plainest one of their operation in one thing, and judges their answers. What they have
 * in common is decided here: a variant is tried if its rule is on, and if the plainest request can be sent without touching
 * what belongs to somebody else.
 */
import type { Operation } from '../../document/operations.js';
import { attempt, type Case } from '../answers/attempt.js';
import type { Prepared } from '../answers/prepared.js';
import { forEach } from '../requests/at-once.js';
import { type Request, requestFor } from '../requests/request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { type ProbeRun, preparePlain } from './probe-run.js';

export interface Variant extends Omit<Case, 'description' | 'request' | 'prepared'> {
  /** The case in a few words, for the finding, with what the plainest request has. */
  readonly description: string | ((values: RequestValues) => string);
  /** The part of the request that it is about. */
  readonly focus?: Focus;
  /**
   * Changes the values of the plainest request.
   *
   * @returns undefined if the case is none with these values
   */
  values?(plain: RequestValues): RequestValues | undefined;
  /** Changes the request below its values. */
  change?(request: Request): Request;
  /** Documented statuses that are right beside the usual ones. */
  readonly others?: readonly number[];
  /** What else must come of it, if it is not the same as of the plainest request. */
  demands?(prepared: Prepared): Case['prepared'];
}

export async function tryVariants(
  run: ProbeRun,
  variantsOf: (operation: Operation) => readonly Variant[],
): Promise<void> {
  const { on } = run.description.rules;
  const variants = run.operations.flatMap(variantsOf);
  const tried = variants.filter(({ by }) => by === undefined || on.has(by));
  await forEach(run, tried, async (variant) => {
    await tryVariant(run, variant);
  });
}

/** @returns whether all is well */
export async function tryVariant(run: ProbeRun, variant: Variant): Promise<boolean> {
  const { operation, description, expectation, focus, change, others = [], demands } = variant;
  const { fulfilled } = expectation;
  const prepared = await preparePlain(run, operation, fulfilled ? 'accepted' : 'refused', focus);
  if (prepared === undefined) return true;
  const values = variant.values ? variant.values(prepared.values) : prepared.values;
  if (values === undefined) return true;
  const request = requestFor(operation, values, run.accounts.first);
  const usual = (fulfilled && prepared.statuses) || expectation.statuses;
  return attempt(run, {
    ...variant,
    description: typeof description === 'string' ? description : description(prepared.values),
    request: change ? change(request) : request,
    expectation: {
      ...expectation,
      statuses: [...usual, ...others.filter((status) => operation.responses.has(status))],
    },
    prepared: demands ? demands(prepared) : prepared,
  });
}
