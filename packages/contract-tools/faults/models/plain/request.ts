/** Reads the parts of a request that both plain servers read in the same way. */
import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.js';
import type { Check } from './values.js';

const maxBodyBytes = 65_536;

/**
 * Reads a body of JSON.
 *
 * @throws {Problem} with 415 for another media type, 413 for a large body, 400 for what is not JSON
 */
export async function readBody(request: IncomingMessage, mediaTypes: readonly string[]): Promise<unknown> {
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
  if (!mediaTypes.includes(mediaType.trim().toLowerCase()))
    throw new Problem(415, `Send the body as ${mediaTypes.join(' or ')}.`);
  if (request.headers['content-encoding'] !== undefined)
    throw new Problem(415, 'Send the body without a content coding.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    // The rest is read and thrown away: a client that is still sending would not see the answer.
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (bytes > maxBodyBytes) throw new Problem(413, `The body has more than ${maxBodyBytes} bytes.`);
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)),
    );
  } catch {
    throw new Problem(400, 'The body is not JSON in UTF-8.');
  }
}

/**
 * Returns a parameter of the query.
 *
 * @returns undefined if it is absent
 * @throws {Problem} with 400, if it comes twice, or does not fit
 */
export function parameter(query: URLSearchParams, name: string, check: Check): string | undefined {
  const [value, ...others] = query.getAll(name);
  if (value === undefined) return undefined;
  const wrong = others.length > 0 ? 'comes twice' : check(value);
  if (wrong !== undefined) throw new Problem(400, `The parameter ${name} ${wrong}.`);
  return value;
}

/** Returns a parameter of the query that is an integer, or the default. @throws {Problem} with 400 */
export function integerParameter(
  query: URLSearchParams,
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  const value = parameter(query, name, (text) =>
    /^(0|[1-9][0-9]{0,8})$/.test(String(text)) && Number(text) >= least && Number(text) <= most
      ? undefined
      : `must be an integer from ${least} to ${most}`,
  );
  return value === undefined ? otherwise : Number(value);
}
