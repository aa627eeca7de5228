/**
 * Refuses what waits in queues, a few at a time.
 *
 * A refusal is quick, but not for nothing: to write its answer, and to read the client's next request, takes
 * some 0.15 ms. Once a lasting overload is found, thousands are refused, and their clients send again at once.
 * If all of them were refused in the same tick of the event loop, nobody else would be served for most of a
 * second: no answer of the database would be read, and no connection accepted, because Node.js accepts one in
 * each tick (libuv#3696).
 *
 * So each tick has up to 100 refusals, of all queues together, in the order in which they were decided. As
 * long as a client has no answer, it sends nothing, so the next tick has no more than 100 of its like to
 * read. (docs/batching.md has what was measured.)
 *
 * For example, 3,800 requests are refused at once. The answers go out in 38 ticks of some 15 ms, and in each
 * of them, another client's connection is accepted, and the answers of the database are read.
 *
 * The cost is that the last of them waits for its refusal for 0.6 s, and so does a refusal of another owner
 * that comes after them. How many can wait is bounded by the limit of requests in flight.
 */

/** What waits for an answer, and can be told that it gets none. */
interface Refusable {
  readonly reject: (reason: unknown) => void;
}

/** How many refusals a tick of the event loop has, of all queues together. */
const maxInTick = 100;

const waiting: { readonly item: Refusable; readonly reason: Error }[] = [];
let isScheduled = false;

/** Rejects the items with this reason, from the next tick of the event loop on. */
export function refuseSoon(items: readonly Refusable[], reason: Error): void {
  for (const item of items) waiting.push({ item, reason });
  schedule();
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  setImmediate(refuseSome);
}

function refuseSome(): void {
  isScheduled = false;
  for (const { item, reason } of waiting.splice(0, maxInTick)) item.reject(reason);
  schedule();
}
