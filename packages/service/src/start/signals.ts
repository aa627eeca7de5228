/**
 * npm repeats a Ctrl-C of the terminal, and a SIGTERM to its process group. Within this time, both count as
 * one.
 */
const echoMs = 500;

export interface EndSignals {
  /** Aborted by the first signal: the drain begins. */
  readonly end: AbortSignal;
  /** Aborted by a second one: the drain is over. */
  readonly hurry: AbortSignal;
}

/**
 * Listens for SIGTERM, Ctrl-C and SIGHUP, none of which ends the process by itself from now on.
 *
 * @param atTerminal whether stdin, stdout or stderr was a terminal at the start
 */
export function watchSignals(atTerminal: boolean): EndSignals {
  const [end, hurry] = [new AbortController(), new AbortController()];
  let first = 0;
  const onSignal = () => {
    if (!end.signal.aborted) {
      first = performance.now();
      end.abort();
    } else if (performance.now() - first > echoMs) hurry.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  // Node.js forgets that nohup ignores SIGHUP (node::PlatformInit). But nohup leaves no terminal open.
  process.on('SIGHUP', atTerminal ? onSignal : () => {});
  return { end: end.signal, hurry: hurry.signal };
}
