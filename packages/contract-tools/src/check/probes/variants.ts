/**
 * Sends requests that differ from the plainest one of their operation in one thing, and judges their answers. What they have
 * in common is decided here: a variant is tried if its rule is on, and if its request can be sent without touching what
 * belongs to somebody else. One that must be taken may name what nobody knows to be there (../resources/unknown-names.ts).
 */
import type { Operation } from '../../document/operations.js';
import { attempt, type Case } from '../answers/attempt.js';
import type { Prepared } from '../answers/prepared.js';
import { forEach } from '../requests/at-once.js';
import { type Request, requestFor } from '../requests/request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { askBeside, type ProbeRun } from './probe-run.js';
import type { RowTrial } from './trial.js';

export interface Variant extends Omit<Case, 'title' | 'description' | 'request' | 'prepared'> {
  /** What must hold, if it is not what the row says. */
  readonly title?: string;
  /** The case in a few words, for the finding, with what the plainest request has. */
  readonly description: string | ((values: RequestValues) => string);
  /** The part of the request that it is about. */
  readonly focus?: Focus | undefined;
  /** Whole values; by default those of the plainest request that is known to succeed. */
  readonly base?: RequestValues;
  /**
   * Changes these values when they are prepared.
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
  trial: RowTrial,
  variantsOf: (operation: Operation) => readonly Variant[],
): Promise<void> {
  const variants = trial.run.operations.flatMap(variantsOf);
  const tried = variants.filter(({ by }) => by === undefined || trial.isOn(by));
  await forEach(trial.run, tried, async (variant) => {
    await tryVariant(trial, variant);
  });
}

/** @returns whether all is well */
export async function tryVariant({ row, run }: RowTrial, variant: Variant): Promise<boolean> {
  const { operation, description, expectation, focus, change, others = [], demands } = variant;
  const { base = run.meaning.baseOf(operation) } = variant;
  const { fulfilled } = expectation;
  const prepared = await run.meaning.prepare(operation, base, fulfilled ? 'accepted' : 'refused', focus);
  if (prepared === undefined) return true;
  const values = variant.values ? variant.values(prepared.values) : prepared.values;
  if (values === undefined) return true;
  const request = requestFor(operation, values, run.accounts.first);
  const usual = (fulfilled && prepared.statuses) || expectation.statuses;
  return attempt(run, {
    title: row.title,
    ...variant,
    description: typeof description === 'string' ? description : description(prepared.values),
    request: change ? change(request) : request,
    expectation: {
      ...expectation,
      statuses: [...usual, ...others.filter((status) => operation.responses.has(status))],
      namesUnknown: fulfilled && run.meaning.namesUnknown(operation, prepared.values, focus),
    },
    prepared: demands ? demands(prepared) : prepared,
  });
}

/** Whether the simplest request is answered alike, so that what a variant changes is not the reason. */
export async function isAlikeWithout(run: ProbeRun, operation: Operation, status: number): Promise<boolean> {
  return (await askBeside(run, operation))?.status === status;
}
