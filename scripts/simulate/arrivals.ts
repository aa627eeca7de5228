import type { Random } from '../survive/random.js';
import type { Clock } from './events.js';

interface OpenLoop {
  /** Creates a second, at Poisson moments that no answer changes. */
  readonly perSecond: number;
  /** Microseconds. A sender that wakes so often sends then what is due; 0 sends each at its moment. */
  readonly wakeAfter: number;
}

/** Connections that each send the next create after an answer, or an open loop. */
export type Load = { readonly connections: number } | OpenLoop;

/** @param send sends a create; calls its parameter after the answer */
export function beginLoad(
  clock: Clock,
  random: Random,
  load: Load,
  send: (answered: () => void) => void,
): void {
  if ('perSecond' in load) {
    beginOpenLoop(clock, random, load, () => send(() => {}));
    return;
  }
  const sendNext = () => send(sendNext);
  for (let connection = 0; connection < load.connections; connection++) sendNext();
}

function beginOpenLoop(
  clock: Clock,
  random: Random,
  { perSecond, wakeAfter }: OpenLoop,
  send: () => void,
): void {
  const arriveAt = (moment: number): void => {
    const sending = wakeAfter === 0 ? moment : Math.ceil(moment / wakeAfter) * wakeAfter;
    clock.after(sending - clock.now, () => {
      send();
      arriveAt(moment + random.exponential(1e6 / perSecond));
    });
  };
  arriveAt(random.exponential(1e6 / perSecond));
}
