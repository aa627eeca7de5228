/**
 * Shows what a long command does: the current step in one line on a terminal, and a line for each finished
 * step elsewhere.
 */
type Output = Pick<NodeJS.WriteStream, 'isTTY'> & { write(text: string): unknown };

export class Progress {
  readonly #stream: Output;
  readonly #start = Date.now();

  constructor(stream: Output = process.stderr) {
    this.#stream = stream;
  }

  /** Shows the current step, at a terminal only. */
  show(text: string): void {
    // The code \x1b[2K erases the line.
    if (this.#stream.isTTY) this.#stream.write(`\r\x1b[2K${this.#clock()} ${text} …`);
  }

  /** Writes a line for a finished step. */
  done(text: string): void {
    this.#stream.write(`${this.#stream.isTTY ? '\r\x1b[2K' : ''}${this.#clock()} ${text}\n`);
  }

  #clock(): string {
    const seconds = Math.round((Date.now() - this.#start) / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }
}
