import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { InvalidRequestError } from '../contract/request/request-errors.js';

/** RFC 3986, sections 3.2.2 and 3.2.3. The name may be empty. */
const hostForm = /^(?:(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*|\[[\w.~!$&'()*+,;=:-]+\])(?::[0-9]*)?$/i;

export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    checkHost(request.raw);
    done();
  });
}

/**
 * RFC 9112, section 3.2. Node.js admits several Host headers, and a proxy may read another one.
 *
 * @throws {InvalidRequestError}
 */
function checkHost({ httpVersion, rawHeaders }: IncomingMessage): void {
  let host: string | undefined;
  // Names and values in turn.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isHost(rawHeaders[at])) continue;
    if (host !== undefined) throw new InvalidRequestError('The header Host comes more than once.');
    host = rawHeaders[at + 1];
  }
  if (host === undefined) {
    if (httpVersion !== '1.0') throw new InvalidRequestError('The header Host is missing.');
  } else if (!hostForm.test(host))
    throw new InvalidRequestError('The header Host is neither name nor address.');
}

function isHost(name = ''): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}
