/** How many requests are answered in a turn of the event loop. */
const answers = { usually: 32, whileAccepting: 8 };
/** Milliseconds after a connection. */
const acceptingMs = 50;

let lastConnection = Number.NEGATIVE_INFINITY;

/** Call it for each new connection: Node.js accepts one a turn (libuv#3696), so turns should be short. */
export function shortenTurns(): void {
  lastConnection = performance.now();
}

/** Answers what fits into this turn now, and the rest in the next ones. */
export function inTurns<Item>(
  items: readonly Item[],
  answer: (item: Item, at: number) => void,
  from = 0,
): void {
  const isAccepting = performance.now() - lastConnection < acceptingMs;
  const end = Math.min(items.length, from + (isAccepting ? answers.whileAccepting : answers.usually));
  // `end` is within the items.
  for (let at = from; at < end; at++) answer(items[at] as Item, at);
  if (end < items.length) setImmediate(inTurns<Item>, items, answer, end);
}
