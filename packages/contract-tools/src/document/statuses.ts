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

/** RFC 9110, sections 15.5.5 and 15.5.11. */
export const absences: readonly number[] = [404, 410];

/** Lists the documented statuses of absence. */
export function absencesOf({ responses }: Operation): number[] {
  return absences.filter((status) => responses.has(status));
}

/** Lists the documented statuses of success, and those of the others that are documented. */
export function successesOr(operation: Operation, others: readonly number[]): number[] {
  return [...successesOf(operation), ...others.filter((status) => operation.responses.has(status))];
}

/** Lists the documented statuses that tell whether something is there. */
export function successesOrAbsencesOf(operation: Operation): number[] {
  return successesOr(operation, absences);
}

/** Lists the documented statuses that do not say that the server failed: the caller judges which of them is right. */
export function documented({ responses }: Operation): number[] {
  return [...responses.keys()].filter((status) => status < 500);
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
