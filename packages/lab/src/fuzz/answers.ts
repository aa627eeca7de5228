/**
 * Reads the bytes that a connection has answered, and says what HTTP or the contract does not allow in them.
 */
import { readFile } from 'node:fs/promises';
import { operationsOf, readDocument } from '../../../contract-tools/index.js';

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Says what is wrong with the bytes that a connection has answered. The list is empty if nothing is. */
export type Judge = (bytes: Buffer) => string[];

/**
 * Makes a judge that refuses failures (any 5xx but 503), and errors without the contract's form or statuses.
 *
 * @param file the path of the YAML
 * @throws {ContractError} if it is not valid
 */
export async function judgeBy(file: string): Promise<Judge> {
  const { operations } = operationsOf(readDocument(await readFile(file, 'utf8'), file));
  // These belong to no operation: an unknown path, a wrong method, a request that is not HTTP.
  const refusals = new Set([400, 404, 405]);
  for (const { responses } of operations) for (const status of responses.keys()) refusals.add(status);
  refusals.delete(500);
  return (bytes) => {
    const { answers, rest } = answersIn(bytes);
    const faults = answers.flatMap((answer) => faultsOf(answer, refusals));
    return rest === ''
      ? faults
      : [...faults, `these bytes are no answer: ${JSON.stringify(rest.slice(0, 80))}`];
  };
}

function faultsOf({ status, head, body }: Answer, refusals: ReadonlySet<number>): string[] {
  if (status < 400) return [];
  if (!refusals.has(status)) return [`the status ${status} is not documented, or a failure: ${body}`];
  if (body !== '' && !isError(status, body)) return [`the body of ${status} is not an Error: ${body}`];
  return /^content-type: application\/json/im.test(head) ? [] : [`${status} is not JSON`];
}

function isError(status: number, body: string): boolean {
  try {
    const { error, message } = JSON.parse(body);
    return error === status && typeof message === 'string' && message !== '' && message.length <= 1_000;
  } catch {
    return false;
  }
}

/**
 * Divides the bytes into answers. A last one that was cut off is dropped: the client may have ended the
 * connection itself.
 *
 * @returns the answers, and the bytes that are not an answer
 */
function answersIn(bytes: Buffer): { answers: Answer[]; rest: string } {
  const answers: Answer[] = [];
  let rest = bytes.toString('latin1');
  for (;;) {
    const match = /^HTTP\/1\.1 ([1-5][0-9]{2}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest);
    if (match === null) return { answers, rest };
    const [whole, status = '', head = ''] = match;
    const behind = rest.slice(whole.length);
    const length = lengthOf(Number(status), head, behind);
    if (length > behind.length) return { answers, rest: '' };
    const body = Buffer.from(behind.slice(0, length), 'latin1').toString('utf8');
    answers.push({ status: Number(status), head, body });
    rest = behind.slice(length);
  }
}

/**
 * Finds the length of an answer's body (RFC 9112, section 6.3). The answer to a HEAD names a length, and has
 * no body.
 */
function lengthOf(status: number, head: string, behind: string): number {
  if (status < 200 || status === 204 || status === 304) return 0;
  if (/^transfer-encoding: chunked\r$/im.test(head)) {
    const end = behind.indexOf('\r\n0\r\n\r\n');
    return end < 0 ? behind.length + 1 : end + 7;
  }
  const [, length] = /^content-length: ([0-9]+)\r$/im.exec(head) ?? [];
  if (length === undefined) return behind.length;
  return behind === '' || behind.startsWith('HTTP/1.1 ') ? 0 : Number(length);
}
