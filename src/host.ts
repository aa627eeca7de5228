import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { InvalidRequestError } from './contract/request-errors.js';

/** RFC 3986, sections 3.2.2 and 3.2.3: a name, which may be empty, or an address in brackets, then a port. */
const hostForm = /^(?:(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*|\[[\w.~!$&'()*+,;=:-]+\])(?::[0-9]*)?$/i;

/** Refuses a request without a Host header, or with several, before anything else. */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    checkHost(request.raw);
    done();
  });
}

/**
 * RFC 9112, section 3.2. Node.js lets requests with several Host headers pass, of which a proxy may read
 * another one than the service does.
 *
 * @throws {InvalidRequestError}
 */
function checkHost({ httpVersion, rawHeaders }: IncomingMessage): void {
  let host: string | undefined;
  // rawHeaders has names and values in turn.
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

/** Compares the length first, so that few names need lower-casing. */
function isHost(name = ''): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}
