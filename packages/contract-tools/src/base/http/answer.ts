/**
 * Reads one HTTP/1.1 answer off the wire, and notes each fault in its framing. Node's own client would repair
 * or hide them: bytes after the end, a body where none is allowed, two different lengths.
 */
import type { ByteSource } from './byte-source.js';

export interface Answer {
  readonly status: number;
  /** The order, case and repetition of the names are those of the message. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** Breaches of HTTP, each with the section that it breaks. */
  readonly faults: readonly string[];
  /** Whether another request may follow on the connection. */
  readonly reusable: boolean;
}

/** The bytes are not an HTTP answer. The message continues "the answer …". */
class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError';
}

/** The most bytes of a line of the header. */
const maxLineLength = 65_536;
const maxHeaders = 1_000;

/** @returns the values of all fields with this name, in any case; none if there is no such field */
export function headerValues({ headers }: Pick<Answer, 'headers'>, name: string): string[] {
  return headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}

/**
 * Reads an answer, and what comes before it as 1xx.
 *
 * @param method the method of the request, because an answer to HEAD has no body
 * @param onContinue is called for 100 (Continue)
 * @returns the answer; `persistent` says whether it ends before the connection does
 * @throws {MalformedAnswerError} if the bytes are not HTTP
 * @throws {EndOfBytesError} if the connection ends within the answer
 * @throws {Error} if a line is longer than 65,536 bytes
 */
export async function readAnswer(
  source: ByteSource,
  method: string,
  onContinue: () => void,
): Promise<Omit<Answer, 'reusable'> & { persistent: boolean }> {
  for (;;) {
    const [version, status] = readStatusLine(await source.line(maxLineLength));
    const headers = await readHeaders(source);
    // RFC 9110, section 15.2: any number of 1xx may come before the answer.
    if (status >= 100 && status < 200) {
      if (status === 100) onContinue();
      continue;
    }
    const faults: string[] = [];
    const { body, delimited } = await readBody(source, { method, status, headers }, faults);
    const closes = headerValues({ headers }, 'connection').some((value) => /\bclose\b/i.test(value));
    return { status, headers, body, faults, persistent: delimited && version === '1.1' && !closes };
  }
}

function readStatusLine(line: string): [version: string, status: number] {
  const [, version = '', status] = /^HTTP\/(1\.[01]) ([1-9][0-9]{2})(?: .*)?$/.exec(line) ?? [];
  if (status === undefined)
    throw new MalformedAnswerError(`begins with ${JSON.stringify(line.slice(0, 80))}`);
  return [version, Number(status)];
}

async function readHeaders(source: ByteSource): Promise<[string, string][]> {
  const headers: [string, string][] = [];
  for (;;) {
    const line = await source.line(maxLineLength);
    if (line === '') return headers;
    // RFC 9110, section 5.6.2: a name is a token; RFC 9112, section 5.1: no space before the colon.
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || headers.length === maxHeaders) {
      throw new MalformedAnswerError(`has the header line ${JSON.stringify(line.slice(0, 80))}`);
    }
    headers.push([name, value.trim()]);
  }
}

interface Head {
  readonly method: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
}

/** Reads the body as RFC 9112, section 6.3 has it, and adds to `faults` what is wrong with its length. */
async function readBody(
  source: ByteSource,
  { method, status, headers }: Head,
  faults: string[],
): Promise<{ body: Buffer; delimited: boolean }> {
  const lengths = [...new Set(headerValues({ headers }, 'content-length'))];
  const codings = headerValues({ headers }, 'transfer-encoding');
  const [length] = lengths;
  if (lengths.length > 1 || (length !== undefined && !/^[0-9]+$/.test(length))) {
    faults.push(`Content-Length is ${lengths.join(' and ')} (RFC 9110, section 8.6)`);
  }
  if (length !== undefined && codings.length > 0) {
    faults.push('it has both Content-Length and Transfer-Encoding (RFC 9112, section 6.1)');
  }
  if (status === 204 && (length !== undefined || codings.length > 0)) {
    faults.push(
      '204 has a Content-Length or a Transfer-Encoding (RFC 9110, section 8.6; RFC 9112, section 6.1)',
    );
  }
  if (method === 'HEAD' || status === 204 || status === 304)
    return { body: Buffer.alloc(0), delimited: true };
  if (codings.length > 0) {
    if (codings.join().toLowerCase() !== 'chunked') faults.push(`its Transfer-Encoding is ${codings.join()}`);
    return { body: await readChunks(source), delimited: true };
  }
  if (length !== undefined) return { body: await source.take(Number(length) || 0), delimited: true };
  return { body: await source.untilEnd(), delimited: false };
}

/** Reads a chunked body (RFC 9112, section 7.1). */
async function readChunks(source: ByteSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const line = await source.line(maxLineLength);
    const [, size] = /^([0-9a-fA-F]{1,8})(?:[ \t]*;.*)?$/.exec(line) ?? [];
    if (size === undefined) throw new MalformedAnswerError(`has the chunk size ${JSON.stringify(line)}`);
    const bytes = Number.parseInt(size, 16);
    if (bytes === 0) break;
    length += bytes;
    if (length > source.most) throw new MalformedAnswerError(`has a body of more than ${source.most} bytes`);
    chunks.push(await source.take(bytes));
    if ((await source.line(2)) !== '') throw new MalformedAnswerError('has a chunk longer than its size');
  }
  await readHeaders(source);
  return Buffer.concat(chunks);
}
