/** Makes the parts of answers that the document decides: refusals, headers and places. */
import type { AnyAnswer } from '../../../src/contract/handlers.js';
import type { Operation } from '../document/operations.js';
import { absencesOf, successesOf } from '../document/statuses.js';
import type { Item } from './bodies.js';
import type { ExampleAnswer } from './examples.js';
import type { Refuse } from './refusals.js';

/** What the document has for the answers of an operation. */
export interface Documented {
  readonly refuse: Refuse;
  /** Returns where the mock is called, such as http://127.0.0.1:3000. */
  origin(): string;
  /** Returns the first example of a status; undefined if the status is not documented. */
  example(operation: string, status: number): ExampleAnswer | undefined;
}

/** Makes the documented answer for what is not there; undefined if the document has none. */
export function absenceFor(operation: Operation, refuse: Refuse): AnyAnswer | undefined {
  const [status] = absencesOf(operation);
  return status === undefined
    ? undefined
    : refuse(operation.id, { status, message: 'There is nothing with this id.' });
}

/** Fills in the parameters of a path: `/jobs/{jobId}` → `/jobs/7`. */
export function filledPath(path: string, values: Item): string {
  return path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

export type KnownHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Picks those headers that the document has for an answer, and adds its examples of those that are required.
 *
 * @param known the values that are known; undefined for one that must not be sent
 */
export function headersFor(
  documented: Documented,
  operation: Operation,
  status: number | undefined,
  known: KnownHeaders,
): Record<string, string> {
  const sent = status ?? successesOf(operation)[0] ?? 200;
  const { headers = [] } = operation.responses.get(sent) ?? {};
  const examples = documented.example(operation.id, sent)?.headers ?? {};
  const made = headers.flatMap(({ name, required }) => {
    const own = Object.entries(known).find(([one]) => one.toLowerCase() === name.toLowerCase());
    const value = own === undefined ? (required ? examples[name] : undefined) : own[1];
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return Object.fromEntries(made);
}
