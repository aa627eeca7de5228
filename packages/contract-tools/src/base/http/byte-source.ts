/**
 * Reads bytes from a socket when a parser asks for them. Its memory is bounded, because a server may never
 * stop sending.
 */
import type { Socket } from 'node:net';

/** The connection ended or broke before all requested bytes had come. */
class EndOfBytesError extends Error {
  override readonly name = 'EndOfBytesError';
}

export class ByteSource {
  #chunks: Buffer[] = [];
  #length = 0;
  #received = 0;
  #end: string | undefined;
  #wake: (() => void) | undefined;
  readonly #socket: Socket;
  /** The most unread bytes, and the most of one body. */
  readonly most: number;

  /** @param most the most unread bytes; if more come, the connection is closed */
  constructor(socket: Socket, most: number) {
    this.#socket = socket;
    this.most = most;
    socket.on('data', (chunk: Buffer) => this.#add(chunk));
    socket.on('end', () => this.#finish('the server closed the connection'));
    socket.on('error', (error) => this.#finish(error.message));
    socket.on('close', () => this.#finish('the connection was closed'));
  }

  /** The number of unread bytes. */
  get waiting(): number {
    return this.#length;
  }

  /** The number of bytes that have come, read or not. */
  get received(): number {
    return this.#received;
  }

  /** Whether no more bytes will come. Some may still be unread. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Reads one line, without its end. RFC 9112, section 2.2: a lone LF ends a line, too.
   *
   * @param longest the most bytes of a line that has no end yet
   * @throws {EndOfBytesError} if the connection ends before the line does
   * @throws {Error} if the line is longer
   */
  async line(longest: number): Promise<string> {
    for (let searched = 0; ; ) {
      const bytes = this.#joined();
      const end = bytes.indexOf(0x0a, searched);
      if (end >= 0) {
        const line = (await this.take(end + 1)).toString('latin1');
        return line.replace(/\r?\n$/, '');
      }
      if (bytes.length > longest) throw new Error(`a line of the header is longer than ${longest} bytes`);
      searched = bytes.length;
      await this.#more();
    }
  }

  /**
   * Reads this many bytes.
   *
   * @throws {EndOfBytesError} if the connection ends before they have come
   */
  async take(count: number): Promise<Buffer> {
    while (this.#length < count) await this.#more();
    const bytes = this.#joined();
    const rest = bytes.subarray(count);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length -= count;
    return bytes.subarray(0, count);
  }

  /** Resolves when the connection can deliver nothing more. */
  async ending(): Promise<void> {
    while (this.#end === undefined) await this.#more();
  }

  /** Reads everything until the connection ends. */
  async untilEnd(): Promise<Buffer> {
    await this.ending();
    return this.take(this.#length);
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#received += chunk.length;
    if (this.#length > this.most) {
      this.#finish(`more than ${this.most} bytes came`);
      this.#socket.destroy();
    }
    this.#wake?.();
  }

  #finish(reason: string): void {
    this.#end ??= reason;
    this.#wake?.();
  }

  async #more(): Promise<void> {
    if (this.#end !== undefined) throw new EndOfBytesError(this.#end);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
