/** Tells what the documented statuses of an operation mean. */
import type { Operation } from './operations.js';

/**
 * Lists the documented statuses of success. `default` is about failures if successes are documented beside
 * it.
 */
export function successesOf({ responses }: Operation): number[] {
  const all = [...responses].filter(([status]) => status >= 200 && status < 300);
  const named = all.filter(([, { key }]) => key !== 'default');
  return (named.length > 0 ? named : all).map(([status]) => status);
}

/** Lists the documented statuses of absence (RFC 9110, sections 15.5.5 and 15.5.11). */
export function absencesOf({ responses }: Operation): number[] {
  return [404, 410].filter((status) => responses.has(status));
}

interface Told {
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
}

/** Whether an answer is a documented success. */
export function succeeded(operation: Operation, { status }: Told): boolean {
  return status !== undefined && successesOf(operation).includes(status);
}

/** Whether an answer says that there is no such item. */
export function isAbsent(operation: Operation, { status }: Told): boolean {
  return status !== undefined && absencesOf(operation).includes(status);
}
