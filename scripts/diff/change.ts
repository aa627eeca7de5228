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

/** What one keyword, or one type, came to allow. */
export interface Difference {
  readonly effect: Effect;
  /** Whether there is a value that can be named now: an enum's, or a schema among several. */
  readonly adds?: boolean | undefined;
  readonly at: Node;
  readonly what: string;
}

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

/** What happened to a set of allowed values. */
export function effectOf<T>(before: readonly T[], after: readonly T[]): Effect | undefined {
  const lost = before.some((item) => !after.includes(item));
  const gained = after.some((item) => !before.includes(item));
  if (lost) return gained ? 'other' : 'narrower';
  return gained ? 'wider' : undefined;
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
