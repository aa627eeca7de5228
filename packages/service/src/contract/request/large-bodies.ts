import { setImmediate as nextTick } from 'node:timers/promises';

/** The tick of the large body that came last. The next one waits for it. */
let lastTick: Promise<unknown> = Promise.resolve();

/**
 * Reads large bodies one by one, each in a tick of the event loop of its own. A body of 64 KiB takes some
 * milliseconds. If 200 of them that arrived together were read in one tick, everybody would wait for half a
 * second, and all of them would be in memory at once: each is ten times as large once it is read. So each
 * waits for the one before it, and then for the next tick.
 *
 * @returns what `read` returns; it rejects with what `read` throws
 */
export function inTickOfItsOwn<Value>(read: () => Value): Promise<Value> {
  const tick = lastTick.then(() => nextTick());
  lastTick = tick;
  return tick.then(read);
}
