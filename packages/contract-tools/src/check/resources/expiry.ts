/**
 * Items that end by themselves: a member such as `expires_at` or `ttl` says when. No schema says which of its values are in
 * the past, and a run takes as long as it takes. So no item gets such a member unless the case is about it, and
 * whether an item that has one is still there is not compared.
 *
 * A server may set such a moment itself, under any name, as `confirm_by` of a booking. So if the answer to a create names a
 * moment of the next minutes that was not sent, the item may end then, and nothing later is expected of it.
 */
import { headerValues } from '../../base/http/answer.js';
import { isObject, type Value } from '../../values/json.js';
import { isSilence, type Reply } from '../requests/reply.js';
import type { Content } from './content.js';

const names = /^(?:expir(?:es|y|ation)|ttl$|time_?to_?live|valid_?(?:until|to$|through))/i;

/** Whether a member with this name says when its item ends. */
export function saysEnd(name: string): boolean {
  return names.test(name);
}

/** Whether an item with this content may end by itself. */
export function mayEnd(content: Value | undefined): boolean {
  return (
    isObject(content) && Object.entries(content).some(([name, value]) => saysEnd(name) && value !== null)
  );
}

/** A moment that an answer names. */
interface Moment {
  readonly member: string;
  /** In milliseconds of `Date.now()`. */
  readonly at: number;
}

/** A run takes minutes: what is further away does not come before its end. */
const soonMs = 600_000;
/** Moments with these names are of the past, or of something else than an end. */
const otherMoments = /creat|updat|modif|made|chang|start|begin|next|last|retry/i;

/**
 * The moment at which an item may end that was just made: the first of the next minutes that its answer names. It is rather
 * too early than too late.
 *
 * @param sent what was sent
 * @param askedAt when it was sent, in milliseconds of `Date.now()`
 * @param shown the item as the answer shows it
 */
export function soonEndOf(sent: Content, askedAt: number, shown: Value, reply: Reply): Moment | undefined {
  if (!isObject(shown) || isSilence(reply)) return undefined;
  // The server's clock may differ from ours. Its own time of the answer is in whole seconds (RFC 9110, section 6.6.1).
  const [date = ''] = headerValues(reply, 'date');
  const answeredAt = Date.parse(date) || Date.now();
  const moments = Object.entries(shown).flatMap(([member, value]): Moment[] => {
    const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
    if (!isTime || sent[member] !== undefined || otherMoments.test(member)) return [];
    const time = Date.parse(value);
    const aheadMs = time - answeredAt;
    // A busy server may write an old Date: then the moment is nearer than it seems, if both clocks agree.
    const at = Math.min(askedAt + aheadMs - 1_000, time);
    return aheadMs > 2_000 && aheadMs < soonMs ? [{ member, at }] : [];
  });
  return moments.toSorted((one, other) => one.at - other.at)[0];
}
