/**
 * Tells from an answer how far work is that takes time: by a member such as `state`, whose words every team
 * chooses, by `done` (a boolean), or by a 303 that leads to the result (RFC 9110, section 15.4.4).
 */
import { isArray, isObject, type Value } from '../../values/json.js';
import { bodyOf, isSilence, type Reply } from '../requests/reply.js';

/** The word that an answer has for the state of the work; undefined if it has none. */
interface WorkState {
  readonly word: string | undefined;
  /** Whether the state is one that does not change. */
  readonly isOver: boolean;
  /** Whether the work is over, and has not failed. */
  readonly isDone: boolean;
}

const names =
  /^(?:state|status|phase|stage|(?:job|run|task|operation|work|export|import)_?(?:state|status))$/i;
const done =
  /^(?:done|ok|ready|available|(?:complete|finish|succeed)(?:d|ed)?|success|successful|succeeded|processed|closed|active)$/i;
const failed =
  /^(?:fail(?:ed|ure)?|errored|error|cancell?ed|aborted|rejected|expired|timed?_?-?out|stopped|terminated|partial(?:ly_?\w*)?)$/i;

export function workStateOf(reply: Reply): WorkState {
  if (isSilence(reply)) return { word: undefined, isOver: false, isDone: false };
  if (reply.status === 303) return { word: '303', isOver: true, isDone: true };
  const members = membersNear(bodyOf(reply));
  const flag = members.find(
    ([name, value]) => /^(?:is_?)?(?:done|complete|finished)$/i.test(name) && typeof value === 'boolean',
  );
  if (flag !== undefined) {
    const isOver = flag[1] === true;
    const hasFailed = members.some(([name, value]) => /^errors?$/i.test(name) && value !== null);
    return { word: `${flag[0]} ${flag[1]}`, isOver, isDone: isOver && !hasFailed };
  }
  const word = members.find(([name, value]) => names.test(name) && typeof value === 'string')?.[1];
  if (typeof word !== 'string') return { word: undefined, isOver: false, isDone: false };
  return { word, isOver: done.test(word) || failed.test(word), isDone: done.test(word) };
}

/** The members of a body, and those of the objects in it, which may be wrappers. */
export function membersNear(body: Value): [string, Value][] {
  if (!isObject(body)) return [];
  const own = Object.entries(body);
  const within = own.flatMap(([, value]) =>
    isObject(value) && !isArray(value) ? Object.entries(value) : [],
  );
  return [...own, ...within];
}
