/**
 * A change of a contract: how it is reported, and when it breaks consumers.
 *
 * Everything in this folder that compares values finds a set of allowed values that became narrower, wider or
 * other. Whether that breaks somebody depends on who sends the values:
 *
 * | the allowed values become | in a request | in a response |
 * |---|---|---|
 * | narrower | breaks: the server refuses what clients send | compatible |
 * | wider | compatible | breaks: clients read what they do not expect |
 * | other | breaks | breaks |
 *
 * For example, `maxLength` of a plant's name goes from 255 to 100. The create's body becomes narrower, and a
 * client that sends 200 characters is refused: breaking. In the list's answer, the same edit is compatible.
 * If both use the same component, the report has both changes, with different ids (ids.ts).
 *
 * What is not about values has a verdict of its own: a removed operation, an added status, another operationId.
 * docs/breaking-changes.md has all of them for consumers, and
 * packages/contract-tools/test/diff/cases/breaking-changes.cases.ts has an edit with its verdict for each.
 */
import type { Node } from '../document/node.js';
import { type ChangeId, type Effect, isBreaking, type SchemaKind } from './ids.js';

/** A change of one operation. The report tells those of several operations at once (told-once.ts). */
export interface Change {
  readonly id: ChangeId;
  readonly breaking: boolean;
  /** Whether it would break consumers, and somebody has accepted that (accept.ts). */
  readonly accepted: boolean;
  /** Whether consumers get something new. */
  readonly adds: boolean;
  /** `file:line:column` in the new contract, or in the old one if the thing was removed. */
  readonly place: string;
  /** The same place as a JSON pointer, which other edits of the file do not move. */
  readonly pointer: string;
  /** `GET /plants`, or `document` if the change belongs to no operation. */
  readonly operation: string;
  /**
   * The member of the schema, from the outermost schema inwards: `plants[].name`. That of a parameter or a header
   * begins with its name: `filter.colour`. It is '' for anything else.
   */
  readonly member: string;
  /** Says what changed, without saying where: `maxLength 255 → 100`. */
  readonly what: string;
  /** Says where and what, on one line. */
  readonly sentence: string;
}

/** A keyword or a type that allows other values than before. */
export interface Difference {
  readonly kind: SchemaKind;
  /** Whether there is a value that can be named now: an enum's, or a schema among several. */
  readonly adds?: boolean | undefined;
  /** The place to report. */
  readonly at: Node;
  /** Says what changed: `enum value red removed`. */
  readonly what: string;
}

/** A change before it is known where it is seen. */
export interface FoundChange {
  readonly id: ChangeId;
  /** The place to report. */
  readonly at: Node;
  /** The part of the operation, such as `request body`; empty if nothing narrower applies. */
  readonly part: string;
  /** The name of the parameter or the header. */
  readonly name?: string | undefined;
  /** Whether consumers get something new. */
  readonly adds?: boolean | undefined;
  /** The status, for a part of a response: equal changes of several statuses are merged. */
  readonly status?: string;
  /** The member of a schema, from the outermost schema inwards. */
  readonly member?: string;
  /** Says what changed, in words that follow those of the part: `required now`. */
  readonly what: string;
}

/** @returns the change of a set of allowed values; undefined if the same ones are allowed */
export function effectOf<T>(before: readonly T[], after: readonly T[]): Effect | undefined {
  const lost = before.some((item) => !after.includes(item));
  const gained = after.some((item) => !before.includes(item));
  if (lost) return gained ? 'other' : 'narrower';
  return gained ? 'wider' : undefined;
}

/**
 * Brings the changes of one operation into the form of a report. A change that a shared component makes to
 * several statuses counts once.
 *
 * @param operation `GET /plants`
 */
export function changesOf(operation: string, found: readonly FoundChange[]): Change[] {
  const groups = new Map<string, FoundChange[]>();
  for (const one of found) {
    const { id, at, part, member = '', what } = one;
    const key = JSON.stringify([id, at.place, part, member, what]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const statuses = [...new Set(group.flatMap(({ status }) => status ?? []))].join(', ');
    const subject = [statuses === '' ? '' : `response ${statuses}`, first.part].filter(Boolean).join(', ');
    const { id, adds = false, at, name = '', member = '', what } = first;
    const inner = name === '' || member === '' || member.startsWith('[') ? member : `.${member}`;
    return [
      {
        ...{ id, breaking: isBreaking(id), accepted: false, adds, place: at.place, pointer: `#${at.key}` },
        ...{ operation, member: `${name}${inner}`, what },
        sentence: sentenceOf(subject, ofMember(member, what)),
      },
    ];
  });
}

function ofMember(member: string, what: string): string {
  return member === '' ? what : `\`${member}\` ${what}`;
}

export function sentenceOf(subject: string, what: string): string {
  return subject === '' ? `${what}.` : `${subject}: ${what}.`;
}
