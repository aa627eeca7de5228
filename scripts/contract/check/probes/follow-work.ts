/**
 * Asks how far work is that a 202 has begun, until its state is one that does not change.
 *
 * It asks four times as often as `Retry-After` says (RFC 9110, section 10.2.3), and more often at the beginning,
 * because each answer on the way is judged, and a server may pass through states that a patient client never sees.
 * Each wait is half as long again as the one before, from 50 ms on. It never waits for longer than
 * half a second, and it gives up after some seconds: nobody says how long work may take. When the work is over,
 * it goes on asking for as long as the work took, because a state that is final stays.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { headerValues } from '../../kit/http/answer.js';
import { ask, type JudgedStep } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import { type Linked, valuesAt } from '../requests/followed.js';
import { isSilence, type Reply } from '../requests/reply.js';
import { requestFor } from '../requests/request.js';
import type { ProbeRun } from './probe-run.js';
import { workStateOf } from './work-state.js';

interface Followed {
  /** The first answer that breaks the document, or the last answer. */
  readonly last: JudgedStep;
  /** The answer that said that the work is over. */
  readonly over: JudgedStep | undefined;
  /** The first answer behind that with another state. */
  readonly changed: JudgedStep | undefined;
}

const maxWorkMs = 4_000;
const pace = { usualMs: 200, leastMs: 50, mostMs: 500, growth: 1.5, looksPerRetryAfter: 4 };
/** How long a final state is watched. */
const watch = { leastMs: 100, mostMs: 1_000 };

/** @param begun the answer with the 202 */
export async function followWork(run: ProbeRun, monitor: Linked, begun: Reply): Promise<Followed> {
  const startedMs = performance.now();
  const look = (): Promise<JudgedStep> => {
    const { operation, target } = monitor;
    const request = { ...requestFor(operation, valuesAt(monitor), run.token), target };
    return ask(run, operation, request, accepted(operation));
  };
  let last = await look();
  let waitMs: number = pace.leastMs;
  let askedMs = pauseAfter(begun);
  while (!workStateOf(last.outcome).isOver && last.breaches.length === 0) {
    if (performance.now() - startedMs > maxWorkMs || run.signal.aborted) break;
    await pause(waitMs);
    last = await look();
    waitMs = Math.min(waitMs * pace.growth, askedMs);
    askedMs = pauseAfter(last.outcome);
  }
  const { isOver, word } = workStateOf(last.outcome);
  if (!isOver || last.breaches.length > 0) return { last, over: undefined, changed: undefined };
  const over = last;
  const overMs = performance.now();
  const watchMs = Math.min(watch.mostMs, Math.max(watch.leastMs, overMs - startedMs));
  while (performance.now() - overMs < watchMs && !run.signal.aborted) {
    await pause(Math.min(waitMs, watchMs));
    last = await look();
    if (workStateOf(last.outcome).word !== word) return { last, over, changed: last };
  }
  return { last, over, changed: undefined };
}

/** How long to wait before the next look, in milliseconds. */
function pauseAfter(reply: Reply): number {
  const [text = ''] = isSilence(reply) ? [] : headerValues(reply, 'retry-after');
  if (!/^\d{1,6}$/.test(text)) return pace.usualMs;
  const looks = (Number(text) * 1_000) / pace.looksPerRetryAfter;
  return Math.min(pace.mostMs, Math.max(pace.leastMs, looks));
}
