/**
 * Writes the log to stdout in the background, so that a slow disk, or a reader that has stopped, blocks no
 * request. A write in the background wakes another thread, which costs as much as a tenth of a short request,
 * so the lines of 10 ms are one write. sonic-boom writes one piece at a time, and keeps what comes meanwhile:
 * up to 16 MiB, for example while the disk is full. After a write that failed, the next one tries again.
 *
 * This file gathers the lines, counts those that did not fit, and tells stderr when the writing fails and when
 * it works again.
 *
 * The cost: a process that crashes loses the lines of the last 10 ms, and those that wait for a write.
 */
import sonicBoom from 'sonic-boom';
import { reasonForPeople } from '../errors/reason.js';

const maxWaitingBytes = 16 * 2 ** 20;
const gatherMs = 10;
/** Once so many characters are gathered, they are written without waiting for more. */
const enoughCharacters = 65_536;
/** How long the end of the process waits for a slow reader. */
const maxFlushMs = 2_000;

/**
 * Opens an output for lines.
 *
 * @param descriptor the file descriptor to write to
 */
export function openOutput(descriptor: number) {
  // The package is CommonJS, and Node.js does not find the names that it exports.
  const stream = new sonicBoom.SonicBoom({ fd: descriptor, maxLength: maxWaitingBytes });
  /** `isFailing` says whether the last write has failed, `lostLines` how many lines were dropped. */
  const state = { isFailing: false, lostLines: 0 };
  let toldLostLines = 0;
  stream.on('drop', (lines: string) => {
    state.lostLines += lines.split('\n').length - 1;
  });
  stream.on('error', (error: unknown) => {
    if (state.isFailing) return;
    state.isFailing = true;
    // If stderr is on the same disk, nobody reads that (standard-streams.ts).
    console.error(
      `Cannot write the log: ${reasonForPeople(error)}. The service goes on, and so does its log once there is room.`,
    );
  });
  stream.on('write', () => {
    if (!state.isFailing) return;
    state.isFailing = false;
    console.error(`The log is written again: ${state.lostLines - toldLostLines} lines were lost.`);
    toldLostLines = state.lostLines;
  });
  let gathered = '';
  let gathering: NodeJS.Timeout | undefined;
  const send = () => {
    clearTimeout(gathering);
    gathering = undefined;
    stream.write(gathered);
    gathered = '';
  };
  return {
    state,
    /** Takes a whole line, with its newline. */
    write(line: string): void {
      gathered += line;
      if (gathered.length >= enoughCharacters) send();
      else gathering ??= setTimeout(send, gatherMs);
    },
    flush(): Promise<void> {
      if (gathered !== '') send();
      return flush(stream);
    },
  };
}

/**
 * Waits until everything is written, but gives up after two seconds, or if writing fails. The two ways of
 * sonic-boom to do so at once, `flushSync` and `end`, never return if the reader has stopped.
 */
async function flush(stream: sonicBoom.SonicBoom): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, maxFlushMs).unref();
    stream.flush(() => resolve());
  });
}

/** The output on stdout. The end of the service flushes it. */
export const standardOutput = openOutput(1);
