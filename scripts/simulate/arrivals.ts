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

/**
 * @param send sends a create; calls its first parameter after the answer. In an open loop, it was due at
 * `moment`.
 */
export function beginLoad(
  clock: Clock,
  random: Random,
  load: Load,
  send: (answered: () => void, moment?: number) => void,
): void {
  if ('perSecond' in load) {
    beginOpenLoop(clock, random, load, (moment) => send(() => {}, moment));
    return;
  }
  const sendNext = () => send(sendNext);
  for (let connection = 0; connection < load.connections; connection++) sendNext();
}

function beginOpenLoop(
  clock: Clock,
  random: Random,
  { perSecond, wakeAfter }: OpenLoop,
  send: (moment: number) => void,
): void {
  const arriveAt = (moment: number): void => {
    const sending = wakeAfter === 0 ? moment : Math.ceil(moment / wakeAfter) * wakeAfter;
    clock.after(sending - clock.now, () => {
      send(moment);
      arriveAt(moment + random.exponential(1e6 / perSecond));
    });
  };
  arriveAt(random.exponential(1e6 / perSecond));
}
