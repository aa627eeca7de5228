import { Turns } from '../../batching/turns.js';

const waiting = new Turns<() => void>();

/**
 * One large body is read in a tick of the event loop, and callers take turns. Otherwise, those that arrive
 * together would hold up everybody, and fill the memory: each is ten times as large once it is read.
 */
export function inTurn<Value>(caller: string, read: () => Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(next);
    waiting.add(caller, () => {
      try {
        resolve(read());
      } catch (error) {
        reject(error);
      }
    });
  });
}

function next(): void {
  const [read] = waiting.take(1);
  read?.();
  if (waiting.length > 0) setImmediate(next);
}
