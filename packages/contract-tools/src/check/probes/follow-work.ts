/**
 * Asks how far work is that a 202 has begun, until its state is one that does not change.
 *
 * It asks four times as often as `Retry-After` says (RFC 9110, section 10.2.3), and more often at the beginning,
 * because each answer on the way is judged, and a server may pass through states that a patient client never sees.
 * Each wait is half as long again as the one before, from 50 ms on. It never waits for longer than
 * half a second, and it gives up after some seconds: nobody says how long work may take. When the work is over,
 * it goes on asking for as long as the work took, because a state that is final stays. An answer that is excused,
 * such as a documented 429, says nothing about the work.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { headerValues } from '../../base/http/answer.js';
import { ask, type JudgedStep } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import { type Linked, valuesAt } from '../requests/followed.js';
import { isSilence, type Reply } from '../requests/reply.js';
import { requestFor } from '../requests/request.js';
import type { ProbeRun } from './probe-run.js';
import { removalStateOf, type WorkState, workStateOf } from './work-state.js';

/**
 * What a monitor shows: work, of which nothing was there before; an item that was there before the work, and may
 * have had a final state already; or an item that the work removes.
 */
export type Monitored = 'work' | 'item' | 'removed item';

interface Look extends JudgedStep {
  readonly state: WorkState;
}

interface Followed {
  /** The first answer that breaks the document, or the last answer. */
  readonly last: Look;
  /** The answer that said that the work is over. */
  readonly over: Look | undefined;
  /** The first answer behind that with another state. */
  readonly changed: Look | undefined;
}

const maxWorkMs = 4_000;
const pace = { usualMs: 200, minMs: 50, maxMs: 500, growth: 1.5, looksPerRetryAfter: 4 };
/** How long a final state is watched. */
const watch = { minMs: 100, maxMs: 1_000 };

/** @param begun the answer with the 202 */
export async function followWork(
  run: ProbeRun,
  monitor: Linked,
  shows: Monitored,
  begun: Reply,
): Promise<Followed> {
  const startedMs = performance.now();
  const stateOf = shows === 'removed item' ? removalStateOf : workStateOf;
  const look = async (): Promise<Look> => {
    const { operation, target } = monitor;
    const request = { ...requestFor(operation, valuesAt(monitor), run.accounts.first), target };
    const step = await ask(run, operation, request, accepted(operation));
    return { ...step, state: stateOf(step.outcome) };
  };
  let last = await look();
  let waitMs: number = pace.minMs;
  let askedMs = pauseAfter(begun);
  while (!last.state.isOver && last.breaches.length === 0) {
    if (performance.now() - startedMs > maxWorkMs || run.signal.aborted) break;
    await pause(waitMs);
    last = await look();
    waitMs = Math.min(waitMs * pace.growth, askedMs);
    askedMs = pauseAfter(last.outcome);
  }
  if (!last.state.isOver || last.breaches.length > 0) return { last, over: undefined, changed: undefined };
  const over = last;
  if (shows === 'item') return { last, over, changed: undefined };
  const overMs = performance.now();
  const watchMs = Math.min(watch.maxMs, Math.max(watch.minMs, overMs - startedMs));
  while (performance.now() - overMs < watchMs && !run.signal.aborted) {
    await pause(Math.min(waitMs, watchMs));
    last = await look();
    if (last.breaches.length > 0) return { last, over, changed: undefined };
    if (last.isExcused) continue;
    if (last.state.word !== over.state.word) return { last, over, changed: last };
  }
  return { last, over, changed: undefined };
}

/** How long to wait before the next look, in milliseconds. */
function pauseAfter(reply: Reply): number {
  const [text = ''] = isSilence(reply) ? [] : headerValues(reply, 'retry-after');
  if (!/^\d{1,6}$/.test(text)) return pace.usualMs;
  const looks = (Number(text) * 1_000) / pace.looksPerRetryAfter;
  return Math.min(pace.maxMs, Math.max(pace.minMs, looks));
}
