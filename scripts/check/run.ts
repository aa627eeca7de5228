import type { Description, Operation } from './description.js';
import type { Exchange } from './exchange.js';
import type { Recorder } from './findings.js';
import type { Meaning } from './meaning.js';
import type { Credential } from './request.js';

/** The tools that every probe needs. */
export interface Run {
  readonly description: Description;
  readonly exchange: Exchange;
  readonly recorder: Recorder;
  readonly meaning: Meaning;
  readonly token: Credential | undefined;
  /** A token of another owner. */
  readonly otherToken: Credential | undefined;
  /** A token that was revoked. */
  readonly revokedToken: Credential | undefined;
  readonly seed: number;
  /** The number of generated cases for each operation. */
  readonly cases: number;
  readonly connections: number;
  readonly signal: AbortSignal;
}

/** Tries all, as many at once as there are connections. Even after an error, nothing is left in flight. */
export async function forEach<Item>(
  { connections, signal }: Run,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) await work(next.value);
  };
  await together(Array.from({ length: connections }, worker));
}

/** Like Promise.all, but waits for all even if one fails: the clean-up must come after every request. */
export async function together<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

export function isSafe({ method }: Operation): boolean {
  // RFC 9110, section 9.2.1.
  return ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);
}
