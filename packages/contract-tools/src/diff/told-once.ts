/**
 * Gathers the changes that one edit makes. A schema that twenty operations share is edited once, so it is told
 * once, with the operations. Without that, a report would have twenty lines of which nineteen say nothing new.
 *
 * The verdict on an edit depends on who sends the values (change.ts), and so does its id. Hence the requests
 * and the responses that share a schema are told apart.
 */
import { type Change, sentenceOf } from './change.js';

/** The changes of several operations that have one id, and stand at one place. */
export interface ToldChange
  extends Pick<Change, 'id' | 'breaking' | 'accepted' | 'adds' | 'place' | 'pointer' | 'what'> {
  readonly operations: readonly string[];
  /** The members of which it is true in these operations; none if the change is not one of members. */
  readonly members: readonly string[];
  /** Says what changed; where, only if it is the same in each operation. */
  readonly sentence: string;
  /** A line for each operation that says where it is. There are none if the sentence says all. */
  readonly uses: readonly string[];
}

/** @returns the changes in their order, each at the place of the first operation that has it */
export function toldOnce(changes: readonly Change[]): ToldChange[] {
  const edits = new Map<string, [Change, ...Change[]]>();
  for (const change of changes) {
    const { id, accepted, place, pointer, what } = change;
    const key = JSON.stringify([id, accepted, place, pointer, what]);
    const edit = edits.get(key);
    if (edit === undefined) edits.set(key, [change]);
    else edit.push(change);
  }
  return [...edits.values()].map((edit) => {
    const [{ id, breaking, accepted, place, pointer, what }] = edit;
    const members = [...new Set(edit.map(({ member }) => member))];
    return {
      ...{ id, breaking, accepted, adds: edit.some(({ adds }) => adds), place, pointer, what },
      operations: [...new Set(edit.map(({ operation }) => operation))],
      members: members.every((member) => member === '') ? [] : members,
      sentence: sharedSentence(edit),
      uses: edit.length === 1 ? [] : edit.map(({ operation, sentence }) => `${operation}: ${sentence}`),
    };
  });
}

function sharedSentence([first, ...others]: readonly [Change, ...Change[]]): string {
  if (others.every(({ sentence }) => sentence === first.sentence)) return first.sentence;
  const members = [first, ...others].map(({ member }) => member);
  return sentenceOf('', `${namesOf(members)}${first.what}`);
}

/** A sentence names so many members; the lines of the operations name all. */
const maxMembers = 3;

/** Names what the members have in common, or each by its own name: `` `reader`, `due` ``. */
function namesOf(members: readonly string[]): string {
  const end = sharedEnd(members);
  const own = members.map((member) => member.split('.').at(-1) ?? '');
  const names = end === '' ? [...new Set(own)].filter((name) => name !== '') : [end];
  if (names.length === 0) return '';
  const rest = names.length - maxMembers;
  const named = names.slice(0, maxMembers).map((name) => `\`${name}\``);
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} `;
}

/** @returns the names in which all members end: `[].name` and `plants[].name` both end in `name` */
function sharedEnd(members: readonly string[]): string {
  const [first = [], ...others] = members.map((member) => member.split('.').reverse());
  const length = first.findIndex((name, index) => others.some((other) => other[index] !== name));
  return (length === -1 ? first : first.slice(0, length)).reverse().join('.');
}

/**
 * Counts the operations that one edit changes, and names some of them: `in 5 operations (GET /plants, POST
 * /plants and 3 more)`. A single one is only named.
 *
 * @param max how many are named at most
 */
export function operationsOf({ operations }: ToldChange, max: number): string {
  const [first = '', ...others] = operations;
  if (others.length === 0) return first;
  const named = operations.slice(0, max).join(', ');
  const rest = operations.length - max;
  return `in ${operations.length} operations${max === 0 ? '' : ` (${named}${rest > 0 ? ` and ${rest} more` : ''})`}`;
}
