/**
 * Refuses requests whose header fields contradict each other. Behind a proxy, two programs read the same
 * request. If they understood it differently, the proxy could let one request through, and the service would
 * carry out another one (request smuggling). Node.js refuses most of these messages itself. The rest is
 * refused here.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { InvalidRequestError } from '../contract/request/request-errors.js';

/** A host as RFC 3986 allows it, sections 3.2.2 and 3.2.3: its name may be empty. */
const hostForm = /^(?:(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*|\[[\w.~!$&'()*+,;=:-]+\])(?::[0-9]*)?$/i;

/**
 * Fields that may come only once (RFC 9110, section 5.3). Node.js takes the first line and drops the others,
 * but a proxy may have checked another one.
 */
const singletons: ReadonlyMap<string, string> = new Map(
  ['Host', 'Authorization', 'Content-Type'].map((name) => [name.toLowerCase(), name]),
);

/** Refuses requests whose header fields contradict each other, whatever their path, by an InvalidRequestError. */
export const headerFields = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', ({ raw }, _reply, done) => {
      refuseRepetition(raw);
      checkHost(raw);
      checkTransferCoding(raw);
      done();
    });
  },
  { name: 'header-fields' },
);

/** @throws {InvalidRequestError} if a field of `singletons` comes twice */
function refuseRepetition({ rawHeaders }: IncomingMessage): void {
  const seen = new Set<string>();
  // rawHeaders holds names and values in turn.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = singletons.get(String(rawHeaders[at]).toLowerCase());
    if (name === undefined) continue;
    if (seen.has(name)) throw new InvalidRequestError(`The header ${name} comes more than once.`);
    seen.add(name);
  }
}

/**
 * A request of HTTP/1.1 must name one valid host (RFC 9112, section 3.2).
 *
 * @throws {InvalidRequestError} if it names none, or one that is not valid
 */
function checkHost({ httpVersion, headers: { host } }: IncomingMessage): void {
  if (host === undefined) {
    if (httpVersion !== '1.0') throw new InvalidRequestError('The header Host is missing.');
  } else if (!hostForm.test(host))
    throw new InvalidRequestError('The header Host is neither a name nor an address.');
}

/**
 * A body has no end if its last coding is not "chunked" (RFC 9112, section 6.3). Node.js reports that only
 * after it has handed over the request.
 *
 * @throws {InvalidRequestError} if the last coding is another one
 */
function checkTransferCoding({ headers }: IncomingMessage): void {
  const codings = headers['transfer-encoding'];
  if (codings === undefined) return;
  const last = codings.slice(codings.lastIndexOf(',') + 1);
  if (last.trim().toLowerCase() !== 'chunked')
    throw new InvalidRequestError('The last coding in the header Transfer-Encoding is not "chunked".');
}
