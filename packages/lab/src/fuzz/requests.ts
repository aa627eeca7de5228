/**
 * Makes the bytes of a case from a seed: requests, some of them valid, changed at random and cut into pieces.
 * A valid request now and then gets a fuzzed one past the first checks, and shows whether a connection still
 * works behind it.
 */

import type { Random } from '../../../contract-tools/base.js';
import { newPlantText } from '../plants.js';

const methods = [
  ...(['GET', 'GET', 'POST', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD'] as const),
  ...(['TRACE', 'QUERY', 'CONNECT', 'PLAY', 'PRI', 'M-SEARCH', 'get', 'G\0T', ''] as const),
] as const;
const targets = [
  ...(['/plants', '/plants', '/plants', '/plants?limit=2', '/plants/7', '/plants/-8', '/plants/x'] as const),
  ...([
    '/plants/',
    '/plants?limit=0',
    '/plants?limit=%',
    '/%',
    '/%ff',
    '*',
    '',
    'x:443',
    '//plants',
  ] as const),
  ...(['http://x/plants', '/plants/9223372036854775808', '/nowhere', '/plants#x', '/pl\x80nts'] as const),
] as const;
const versions = [
  ...(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0'] as const),
  ...(['HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', 'RTSP/1.0', 'ICE/1.0', 'http/1.1', ''] as const),
] as const;
const soup = [
  ...(['Connection: close', 'Connection: keep-alive', 'Connection: upgrade', 'Upgrade: h2c'] as const),
  ...([
    'Expect: 100-continue',
    'Expect: x',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
  ] as const),
  ...(['Transfer-Encoding: gzip, chunked', 'Content-Length: 0', 'Content-Length: 5'] as const),
  ...(['Content-Length: -1', 'Content-Length: 99999999999', 'Content-Type: text/plain', 'Host: y'] as const),
  ...(['Content-Encoding: gzip', 'Authorization: Bearer x', 'Authorization:', ' folded', 'X: \0'] as const),
  ...(['No colon', ': no name', 'Accept-Version: 1', 'Range: bytes=0-1', 'Cookie: a=b; a', 'X: é'] as const),
  ...(['X-HTTP-Method-Override: DELETE', 'Origin: http://x', 'If-None-Match: *', 'Trailer: X'] as const),
] as const;
const bodies = [
  newPlantText({ id: 7, name: 'Ficus' }),
  newPlantText({ id: -8, name: 'Ficus', tag: 't' }),
  newPlantText({ id: 7, name: 'Other' }),
  ...(['{"id":1e1,"name":"x"}', '{"id":7}', '[]', '"', '{"id":7,"id":8,"name":"x"}', 'null', ''] as const),
  ...(['{"id":7,"name":"\\ud800"}', '{"id":7,"name":"\\u0000"}', '{"__proto__":1}', '\xff\xfe'] as const),
] as const;

/** One case: how its bytes are sent, and how the connection ends. */
export interface Case {
  readonly pieces: readonly Buffer[];
  /** The number of requests that it is meant to hold. */
  readonly requests: number;
  readonly end: 'half-close' | 'reset';
}

export function makeCase(random: Random, token: string): Case {
  const requests = random.once(3) ? 1 + random.below(6) : 1;
  const text = Array.from({ length: requests }, () => makeRequest(random, token)).join('');
  let bytes: Buffer = Buffer.from(text, 'latin1');
  if (random.once(4)) bytes = mutate(random, bytes);
  return { pieces: cut(random, bytes), requests, end: random.once(12) ? 'reset' : 'half-close' };
}

function makeRequest(random: Random, token: string): string {
  const plain = random.once(3);
  const method = plain ? random.of(['GET', 'POST', 'DELETE']) : random.of(methods);
  const target = plain ? (method === 'DELETE' ? '/plants/7' : '/plants') : random.of(targets);
  const version = plain ? 'HTTP/1.1' : random.of(versions);
  const authorization = random.once(5) ? [] : [`Authorization: Bearer ${token}`];
  const headers = ['Host: x', ...authorization];
  let body = method === 'POST' || random.once(6) ? makeBody(random) : '';
  if (body !== '' && random.once(3)) {
    headers.push('Transfer-Encoding: chunked');
    body = chunked(random, body);
  } else if (body !== '') headers.push(`Content-Length: ${body.length}`);
  if (body !== '') headers.push('Content-Type: application/json');
  if (!plain) {
    for (let more = random.below(4); more > 0; more--)
      headers.splice(random.below(headers.length + 1), 0, random.of(soup));
    if (random.once(40)) headers.push(`X: ${'x'.repeat(random.below(20_000))}`);
  }
  return [`${method} ${target} ${version}`, ...headers, '', body].join('\r\n');
}

function makeBody(random: Random): string {
  return random.once(60)
    ? newPlantText({ id: 7, name: 'x'.repeat(random.below(100_000)) })
    : random.of(bodies);
}

/** Writes a body in chunks (RFC 9112, section 7.1), now and then broken ones. */
function chunked(random: Random, body: string): string {
  const middle = random.below(body.length + 1);
  const chunks = [body.slice(0, middle), body.slice(middle)].filter((chunk) => chunk !== '');
  const sized = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  if (random.once(8))
    sized.push(random.of(['zz\r\n', '-1\r\n', '5\r\n', 'ffffffffffffffffff\r\n', '1;x=y\r\nz\r\n']));
  return `${sized.join('')}0\r\n${random.once(10) ? 'X: trailer\r\n' : ''}\r\n`;
}

/** Changes, leaves out or doubles some bytes. */
function mutate(random: Random, bytes: Buffer): Buffer {
  let mutated: Buffer = bytes;
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = random.below(mutated.length);
    const rest = mutated.subarray(at + random.below(3));
    const put = random.of([[], [random.below(256)], [10], [13, 10], [32], [0]]);
    mutated = Buffer.concat([mutated.subarray(0, at), Buffer.from(put), rest]);
  }
  return mutated;
}

function cut(random: Random, bytes: Buffer): Buffer[] {
  if (!random.once(4)) return [bytes];
  const middle = random.below(bytes.length + 1);
  return [bytes.subarray(0, middle), bytes.subarray(middle)];
}
