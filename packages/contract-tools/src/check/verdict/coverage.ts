/**
 * Lists what a run has not seen: operations that never succeeded, and documented statuses that never came.
 *
 * A check that cannot reach an operation would otherwise pass whatever the operation does: if every create is
 * refused with a documented 403, no item is ever read, changed or deleted, and nothing wrong is seen. So the
 * recorder keeps, for each operation, the statuses that it has answered with, and whether a valid request
 * ever got its right answer. After the last probe, two lists are made of that:
 *
 * 1. An operation without such an answer is not reached. The last lines of the report begin with these
 *    operations, because nothing was proved of them. With the rule `every-operation` each is a finding, unless
 *    it has one already. The reason is what the meaning knows (a collection whose items cannot be made), or
 *    else the statuses that came. An operation that is held back, or that no request can be written for, is named and
 *    never a finding, because no server could avoid it.
 * 2. A documented status that never came is "not seen", with what it would need: a 429 needs more requests
 *    than the server allows, which the checker does not send. This is never a finding.
 *
 * For plants.yaml, the second list has 408, 429, 500 and 503. Nothing here sends a request.
 */

import type { Operation } from '../../document/operations.js';
import { keysOf } from '../document/description.js';
import type { ProbeRun } from '../probes/probe-run.js';

export interface Unseen {
  readonly operation: string;
  /** The key in the document: `404`, `4XX` or `default`. */
  readonly status: string;
  readonly why: string;
}

/** An operation that never answered a valid request with success, and the reason as far as it is known. */
export interface Unreached {
  readonly operation: string;
  readonly why: string;
  /**
   * Whether it was sent. It was not if it may change what somebody else has (../resources/held-back.ts), or if no
   * request of it can be written.
   */
  readonly kind: 'not reached' | 'held back' | 'cannot be sent';
}

const title = 'answers a valid request';
/** Why an operation is not reached whose item nobody could make. */
export const unmade = 'no valid request could be made: what it works on could not be created';

/** Statuses that refuse a body for what is in it. */
const ofBodies = new Set([400, 413, 415, 422]);

/** The checker cannot cause these statuses (RFC 9110, section 15), and says what each of them needs. */
const needs: ReadonlyMap<string, string> = new Map([
  ['304', 'needs a condition that holds'],
  ['404', 'needs an id that nobody has'],
  ['408', 'needs a request that stops midway, and the server’s patience'],
  ['409', 'needs a conflict, of which the document’s shape says nothing'],
  ['412', 'needs a condition that does not hold'],
  ['429', 'needs more requests than the server allows'],
  ['500', 'needs a failure inside the server'],
  ['502', 'needs a failure behind the server'],
  ['503', 'needs a failing database, or more work than the server can do'],
  ['504', 'needs a failure behind the server'],
]);

/** Lists the operations that no valid request reached, in the document's order. */
export function unreachedOf({ description, recorder, meaning }: ProbeRun): Unreached[] {
  const tried = byId(description.operations).flatMap((operation) => {
    const { fulfilled, statuses } = recorder.answersOf(operation.id);
    if (fulfilled) return [];
    const answered = [...statuses].filter((status) => operation.responses.has(status));
    const why =
      meaning.obstacle(operation) ??
      (answered.includes(428)
        ? 'it needs the ETag of a GET, and no GET showed one that it took'
        : undefined) ??
      (answered.length > 0 ? `every request was answered ${answered.join(' or ')}` : unmade);
    // Only the server knows what must be in a file.
    const isFileRefused =
      operation.body?.parts !== undefined && answered.every((status) => ofBodies.has(status));
    const kind =
      meaning.heldBack(operation) !== undefined
        ? 'held back'
        : isFileRefused
          ? 'cannot be sent'
          : 'not reached';
    return [{ operation: operation.id, why, kind } as const];
  });
  const excluded = description.excluded.map(({ id, why }) => ({
    operation: id,
    why: why.replace(/\.$/, ''),
    kind: 'cannot be sent' as const,
  }));
  return [...tried, ...excluded];
}

/** The number of operations of the document, whether they can be tried or not. */
export function operationCount({ operations, excluded }: ProbeRun['description']): number {
  return byId(operations).length + excluded.length;
}

/** Records the operations that no valid request reached, and notes the documented failures of the others. */
export function findNeverCalled(run: ProbeRun): void {
  const { description, recorder } = run;
  for (const operation of byId(description.operations)) {
    recorder.case(operation.id, title);
    const { excused, fulfilled } = recorder.answersOf(operation.id);
    if (fulfilled && excused.size > 0) {
      const words = [...excused.keys()].sort().join(' and ');
      const tried = [...excused.values()].find((one) => one !== '');
      const example = tried === undefined ? '' : `, such as "${tried}"`;
      recorder.note(
        `${operation.id} answered some valid requests with ${words}, which it documents${example}.`,
      );
    }
  }
  if (!description.rules.on.has('every-operation')) return;
  for (const { operation, why, kind } of unreachedOf(run)) {
    if (kind !== 'not reached') continue;
    // Any other finding says more.
    if (recorder.findings.some(({ operations }) => operations.includes(operation))) continue;
    const { node } = [...description.operations, ...description.excluded].find(
      ({ id }) => id === operation,
    ) ?? { node: undefined };
    recorder.find(operation, title, 'every request of the run', [], {
      rule: 'never answered a valid request',
      says: `${operation} is an operation of the document`,
      path: node?.path ?? ['paths'],
      did: why,
      by: 'every-operation',
    });
  }
}

/** Lists the documented statuses that never came, operation by operation, in the document's order. */
export function unseenOf(run: ProbeRun): Unseen[] {
  return byId(run.description.operations).flatMap((operation) => {
    const { statuses } = run.recorder.answersOf(operation.id);
    const seen = new Set(Array.from(statuses, (status) => operation.responses.get(status)?.key));
    return keysOf(operation)
      .filter((key) => !seen.has(key))
      .map((key) => ({ operation: operation.id, status: key, why: whyNotShown(run, operation, key) }));
  });
}

/** Descriptions that differ only in the media type of the body are one operation. */
function byId(operations: readonly Operation[]): Operation[] {
  return [...new Map(operations.map((operation) => [operation.id, operation])).values()];
}

function whyNotShown({ accounts: { first } }: ProbeRun, operation: Operation, status: string): string {
  if (status === '401' && operation.secured && first.met(operation).length === 0)
    return `needs ${first.lacks(operation)}`;
  return needs.get(status) ?? 'no request of this run led to it';
}

/** Writes one line for each status and reason, with all its operations, for people. */
export function unseenLines(unseen: readonly Unseen[]): string[] {
  const groups = new Map<
    string,
    { readonly status: string; readonly line: string; readonly operations: string[] }
  >();
  for (const { operation, status, why } of unseen) {
    const key = `${status}: ${why}`;
    const group = groups.get(key) ?? { status, line: key, operations: [] };
    group.operations.push(operation);
    groups.set(key, group);
  }
  return [...groups.values()]
    .sort((a, b) => a.status.localeCompare(b.status))
    .map(({ line, operations }) => `not seen: ${line} (${operations.join(', ')})`);
}
