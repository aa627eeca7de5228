import type { Description, Operation } from './description.js';
import type { Exchange } from './exchange.js';
import type { Recorder } from './findings.js';
import type { Meaning } from './meaning.js';
import type { Credential } from './request.js';

/** What every probe works with. */
export interface Run {
  readonly description: Description;
  readonly exchange: Exchange;
  readonly recorder: Recorder;
  readonly meaning: Meaning;
  readonly token: Credential | undefined;
  /** Another owner's. */
  readonly otherToken: Credential | undefined;
  /** One that was revoked. */
  readonly revokedToken: Credential | undefined;
  readonly seed: number;
  /** How many generated cases an operation gets. */
  readonly cases: number;
  readonly connections: number;
  readonly signal: AbortSignal;
}

/** Tries all of them, as many at once as there are connections. Whatever happens, nothing is under way when it ends. */
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

/** Promise.all, but it waits for the others where one fails: what follows tidies up, and must not be overtaken. */
export async function together<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

export function isSafe({ method }: Operation): boolean {
  // RFC 9110, section 9.2.1.
  return ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);
}
