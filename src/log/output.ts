/**
 * Writes the log to stdout, without blocking requests.
 *
 * There are two simple ways, and both are bad here. If each line was written at once and in the foreground, a
 * slow disk or a reader that has stopped would block every request. If each line was written in the
 * background, every one of them would wake another thread, and on a full disk lines without number would wait
 * in memory.
 *
 * So `LogOutput` gathers lines:
 *
 * 1. `write` adds the lines to `#waiting`. The first one starts a timer of 10 ms.
 * 2. When the timer ends, or 65,536 characters wait, all that waits becomes one write in the background.
 * 3. What comes during a write waits for its end, and is then written at once.
 * 4. If a write fails, as on a full disk, it is tried again every 100 ms. Meanwhile up to 16 Mi characters
 *    wait. Lines that come then are dropped and counted. stderr says when the writing fails, and how many
 *    lines were lost when it works again.
 * 5. At the end of the process, `flush` writes what is left in the foreground. It waits for a slow reader for
 *    2 s.
 *
 * For example, 200 requests in 10 ms, each with a line of 300 characters, are one write of 60,000 characters.
 *
 * The cost: a process that is killed by `kill -9` loses the lines that wait, which are usually those of the
 * last 10 ms.
 */
import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { reasonForPeople } from '../errors/reason.js';

const maxWaitingCharacters = 16 * 2 ** 20;
/** Once so many characters wait, they are written without waiting for more. */
const enoughCharacters = 65_536;
const gatherMs = 10;
const retryMs = 100;
/** How long the end of the process waits for a slow reader. */
const maxFlushMs = 2_000;

export class LogOutput implements DestinationStream {
  readonly #descriptor: number;
  #waiting: string[] = [];
  #waitingCharacters = 0;
  #isWriting = false;
  #gathering: NodeJS.Timeout | undefined;
  /** The bytes whose write has failed, until a retry succeeds. */
  #stuck: Buffer = Buffer.alloc(0);
  #isFailing = false;
  #lostLines = 0;
  /** How many of the lost lines stderr has told of. */
  #toldLostLines = 0;

  /** @param descriptor the file descriptor to write to */
  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** How many lines were dropped since the start. */
  get lostLines(): number {
    return this.#lostLines;
  }

  /** Whether the last write has failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Takes whole lines, each with its newline. It drops and counts them if too many wait already. */
  write(lines: string): void {
    if (this.#waitingCharacters + lines.length > maxWaitingCharacters) {
      this.#lostLines += lines.split('\n').length - 1;
      return;
    }
    this.#waiting.push(lines);
    this.#waitingCharacters += lines.length;
    if (this.#isWriting) return;
    if (this.#waitingCharacters >= enoughCharacters) this.#sendWaiting();
    else this.#gathering ??= setTimeout(() => this.#sendWaiting(), gatherMs);
  }

  #sendWaiting(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#send(this.#takeWaiting());
  }

  /** Writes everything in the foreground, at the end of the process. Gives up if writing fails. */
  flush(): void {
    const deadline = Date.now() + maxFlushMs;
    let rest = Buffer.concat([this.#stuck, this.#takeWaiting()]);
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) return;
        // The only way to wait in the foreground: nobody wakes this, so it ends after the timeout.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      }
    }
  }

  #takeWaiting(): Buffer {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingCharacters = 0;
    return bytes;
  }

  #send(bytes: Buffer): void {
    this.#isWriting = true;
    write(this.#descriptor, bytes, (error, written) => {
      if (error) {
        this.#stuck = bytes;
        this.#fail(error);
        setTimeout(() => this.#send(bytes), retryMs).unref();
        return;
      }
      this.#stuck = Buffer.alloc(0);
      if (this.#isFailing) this.#recover();
      if (written < bytes.length) this.#send(bytes.subarray(written));
      else if (this.#waiting.length > 0) this.#send(this.#takeWaiting());
      else this.#isWriting = false;
    });
  }

  /** Says so once. If stderr is on the same disk, nobody reads that (standard-streams.ts). */
  #fail(error: NodeJS.ErrnoException): void {
    if (this.#isFailing || isBusy(error)) return;
    this.#isFailing = true;
    console.error(
      `Cannot write the log: ${reasonForPeople(error)}. The service goes on, and so does its log once there is room.`,
    );
  }

  #recover(): void {
    this.#isFailing = false;
    console.error(`The log is written again: ${this.#lostLines - this.#toldLostLines} lines were lost.`);
    this.#toldLostLines = this.#lostLines;
  }
}

/** @returns whether the reader of a non-blocking pipe, such as npm's, is only slow */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

/** The output on stdout. The end of the process writes what is left in it. */
export const standardOutput = new LogOutput(1);
process.on('exit', standardOutput.flush.bind(standardOutput));
