import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { reasonFor } from '../errors/reason.js';

/** Characters. */
const maxWaiting = 16 * 2 ** 20;
/** Characters that are written at once, without waiting for more. */
const enough = 65_536;
/** Milliseconds. `flush` is for a slow reader at the end. */
const times = { gather: 10, retry: 100, flush: 2_000 };

/**
 * Writes in the background, and rarely, because each write wakes another thread. If that fails, as on a full
 * disk, lines wait up to the limit.
 */
export class LogOutput implements DestinationStream {
  readonly #descriptor: number;
  #waiting: string[] = [];
  #waitingLength = 0;
  #isWriting = false;
  #gathering: NodeJS.Timeout | undefined;
  /** Bytes whose write failed, until a retry succeeds. */
  #stuck: Buffer = Buffer.alloc(0);
  #isFailing = false;
  #lostLines = 0;
  #lostBefore = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  get lostLines(): number {
    return this.#lostLines;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  write(lines: string): void {
    if (this.#waitingLength + lines.length > maxWaiting) {
      this.#lostLines += lines.split('\n').length - 1;
      return;
    }
    this.#waiting.push(lines);
    this.#waitingLength += lines.length;
    if (this.#isWriting) return;
    if (this.#waitingLength >= enough) this.#sendWaiting();
    else this.#gathering ??= setTimeout(() => this.#sendWaiting(), times.gather);
  }

  #sendWaiting(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#send(this.#takeWaiting());
  }

  /** For the end of the process. Gives up if writing fails. */
  flush(): void {
    const deadline = Date.now() + times.flush;
    let rest = Buffer.concat([this.#stuck, this.#takeWaiting()]);
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, times.retry);
      }
    }
  }

  #takeWaiting(): Buffer {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingLength = 0;
    return bytes;
  }

  #send(bytes: Buffer): void {
    this.#isWriting = true;
    write(this.#descriptor, bytes, (error, written) => {
      if (error) {
        this.#stuck = bytes;
        this.#fail(error);
        setTimeout(() => this.#send(bytes), times.retry).unref();
        return;
      }
      this.#stuck = Buffer.alloc(0);
      if (this.#isFailing) this.#recover();
      if (written < bytes.length) this.#send(bytes.subarray(written));
      else if (this.#waiting.length > 0) this.#send(this.#takeWaiting());
      else this.#isWriting = false;
    });
  }

  /** process.stderr would end the process if its disk is full, too. */
  #fail(error: NodeJS.ErrnoException): void {
    if (this.#isFailing || isBusy(error)) return;
    this.#isFailing = true;
    console.error(
      `Cannot write the log: ${reasonFor(error)}. The service goes on, and so does its log once there is room.`,
    );
  }

  #recover(): void {
    this.#isFailing = false;
    console.error(`The log is written again: ${this.#lostLines - this.#lostBefore} lines were lost.`);
    this.#lostBefore = this.#lostLines;
  }
}

/** A non-blocking pipe, such as npm's, has a slow reader. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

export const standardOutput = new LogOutput(1);
process.on('exit', standardOutput.flush.bind(standardOutput));
