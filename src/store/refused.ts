import { violatedConstraint } from '../postgres/sqlstate.js';

/** Instead of an item: it violates a constraint for which its table has a name, and nothing was done for it. */
export class Refused<Failure extends string = string> {
  readonly #failure: Failure;

  constructor(failure: Failure) {
    this.#failure = failure;
  }

  /** What the table calls it. */
  get failure(): Failure {
    return this.#failure;
  }
}

/** None if the table names no failures. */
export type RefusedBy<Failure extends string> = Failure extends string ? Refused<Failure> : never;

/** @throws `error` if its constraint has no name in `failures` */
export function refusedBy(failures: Readonly<Record<string, string>> = {}, error: unknown): Refused {
  const constraint = violatedConstraint(error);
  if (constraint === undefined) throw error;
  // On Citus, the names of a shard's constraints end with its number.
  const failure = failures[constraint] ?? failures[constraint.replace(/_[0-9]+$/, '')];
  if (failure === undefined) throw error;
  return new Refused(failure);
}
