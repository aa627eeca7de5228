/**
 * Tells from an answer how far work is that takes time: by a member such as `state`, whose words every team
 * chooses, by `done` (a boolean), or by a 303 that leads to the result (RFC 9110, section 15.4.4).
 *
 * Several members may have such names: in `{"status": "success", "data": {"state": "running"}}`, the first is
 * about the request. So the work is over only if all of them say it. Words that some systems have for work that
 * waits or runs, such as `ready` and `active`, say of none that it is over.
 */
import { absences } from '../../document/statuses.js';
import { membersNear } from '../../values/json.js';
import { bodyOf, isSilence, type Reply } from '../requests/reply.js';

export interface WorkState {
  /** The word that an answer has for the state of the work, or its words; undefined if it has none. */
  readonly word: string | undefined;
  /** Whether the state is one that does not change. */
  readonly isOver: boolean;
  /** Whether the work is over, and has not failed. */
  readonly isDone: boolean;
}

const stateNames =
  /^(?:state|status|phase|stage|(?:job|run|task|operation|work|export|import)_?(?:state|status))$/i;
const done =
  /^(?:done|ok|(?:complete|finish|succeed)(?:d|ed)?|success|successful|succeeded|processed|closed)$/i;
const failed =
  /^(?:fail(?:ed|ure)?|errored|error|cancell?ed|aborted|rejected|expired|timed?_?-?out|stopped|terminated|partially_?(?:failed|succeeded))$/i;

const flagNames = /^(?:is_?)?(?:done|complete|finished)$/i;

/** Whether a member with this name may say how far work is. */
export function namesState(name: string): boolean {
  return stateNames.test(name) || flagNames.test(name);
}

export function workStateOf(reply: Reply): WorkState {
  if (isSilence(reply)) return { word: undefined, isOver: false, isDone: false };
  if (reply.status === 303) return { word: '303', isOver: true, isDone: true };
  const members = membersNear(bodyOf(reply));
  const flags = members.filter(([name, value]) => flagNames.test(name) && typeof value === 'boolean');
  if (flags.length > 0) {
    const isOver = flags.every(([, value]) => value === true);
    const hasFailed = members.some(([name, value]) => /^errors?$/i.test(name) && value !== null);
    const word = flags.map(([name, value]) => `${name} ${value}`).join(', ');
    return { word, isOver, isDone: isOver && !hasFailed };
  }
  const words = members.flatMap(([name, value]) =>
    stateNames.test(name) && typeof value === 'string' ? [value] : [],
  );
  if (words.length === 0) return { word: undefined, isOver: false, isDone: false };
  return {
    word: words.join(', '),
    isOver: words.every((word) => done.test(word) || failed.test(word)),
    isDone: words.every((word) => done.test(word)),
  };
}

/** Tells from an answer about an item how far its removal is: whatever state it has before, its absence is the end. */
export function removalStateOf(reply: Reply): WorkState {
  if (isSilence(reply)) return { word: undefined, isOver: false, isDone: false };
  const isGone = absences.includes(reply.status);
  return { word: isGone ? 'gone' : 'there', isOver: isGone, isDone: isGone };
}
