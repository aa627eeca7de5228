import type { Node } from './node.js';

export interface Change {
  readonly breaking: boolean;
  /** Whether consumers get something new. */
  readonly adds: boolean;
  /** `file:line:column` in the new contract, or in the old one if the thing was removed. */
  readonly place: string;
  /** `GET /plants`, or `document` if the change belongs to no operation. */
  readonly operation: string;
  /** What changed, on one line. */
  readonly sentence: string;
}

/** The direction of values: a narrower request breaks its sender, a wider response breaks its reader. */
export type Direction = 'request' | 'response';

/** The change of the set of allowed values; `other`: some values were removed and others added. */
export type Effect = 'narrower' | 'wider' | 'other';

/** A change before its operation is known. */
export interface Finding {
  readonly breaking: boolean;
  readonly at: Node;
  /** The part of the operation, such as `request body`; empty if nothing narrower applies. */
  readonly part: string;
  /** Whether consumers get something new. */
  readonly adds?: boolean | undefined;
  /** The status, for a part of a response: equal findings of several statuses are merged. */
  readonly status?: string;
  readonly what: string;
}

export function breaks(effect: Effect, direction: Direction): boolean {
  return effect === 'other' || effect === (direction === 'request' ? 'narrower' : 'wider');
}

/** The findings of one operation as changes; the effect of a shared component on several statuses is one. */
export function changesOf(operation: string, findings: readonly Finding[]): Change[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { breaking, at, part, what } = finding;
    const key = JSON.stringify([breaking, at.place, part, what]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const statuses = [...new Set(group.flatMap(({ status }) => status ?? []))].join(', ');
    const subject = [statuses === '' ? '' : `response ${statuses}`, first.part].filter(Boolean).join(', ');
    const sentence = subject === '' ? `${first.what}.` : `${subject}: ${first.what}.`;
    const { breaking, adds = false } = first;
    return [{ breaking, adds, place: first.at.place, operation, sentence }];
  });
}
