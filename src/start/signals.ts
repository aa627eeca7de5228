/** Milliseconds. A Ctrl-C comes twice: from the terminal and from npm. So does a SIGTERM to a group of processes. */
const echoMs = 500;

export interface EndSignals {
  /** Aborted by the first signal. */
  readonly end: AbortSignal;
  /** Aborted by a second one, from somebody who does not want to wait. */
  readonly hurry: AbortSignal;
}

/** @param atTerminal whether stdin, stdout or stderr was one at the start; one that has closed is not any more */
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
