import type { Node } from './node.js';

export interface Change {
  readonly breaking: boolean;
  /** Whether there is something new that consumers may use. */
  readonly adds: boolean;
  /** `file:line:column` in the new contract, or in the old one where the thing was removed. */
  readonly place: string;
  /** `GET /plants`, or `document` where it belongs to none. */
  readonly operation: string;
  /** What changed, on one line. */
  readonly sentence: string;
}

/** Who sends the values: a narrower request breaks its sender, a wider response breaks its reader. */
export type Direction = 'request' | 'response';

/** What became of the set of values that are allowed; `other`: it lost some and gained some. */
export type Effect = 'narrower' | 'wider' | 'other';

/** A change before it is known where it is seen. */
export interface Finding {
  readonly breaking: boolean;
  readonly at: Node;
  /** The part of the operation: `request body`; where nothing narrower can be said, empty. */
  readonly part: string;
  /** Whether there is something new that consumers may use. */
  readonly adds?: boolean | undefined;
  /** The response's status, if it is part of one: equal findings of several are told in one line. */
  readonly status?: string;
  readonly what: string;
}

export function breaks(effect: Effect, direction: Direction): boolean {
  return effect === 'other' || effect === (direction === 'request' ? 'narrower' : 'wider');
}

/** The findings of one operation as changes; what a shared component does to several statuses, once. */
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
