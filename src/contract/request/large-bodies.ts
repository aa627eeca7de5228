import { setImmediate as nextTick } from 'node:timers/promises';

/** The last large body that was taken on. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads one large body in a tick of the event loop. A body of 64 KiB takes some milliseconds. If 200 of them that arrived
 * together were read in one tick, everybody would wait for half a second, and all of them would be in memory at once:
 * each is ten times as large once it is read. So each waits for the one before it, and then for the next tick.
 */
export function inTickOfItsOwn<Value>(read: () => Value): Promise<Value> {
  const turn = last.then(() => nextTick());
  last = turn;
  return turn.then(read);
}
