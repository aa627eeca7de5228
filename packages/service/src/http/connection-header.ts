/**
 * Decides whether a connection stays open after an answer. docs/connections.md tells the whole way of a
 * connection.
 *
 * A client may send its next request on a connection unless the answer says "Connection: close" (RFC 9112,
 * section 9.6). If the service closed the connection without saying so, the next request could cross the end
 * on its way, and the client could not know whether it was carried out. Node.js and Fastify set the header in
 * most cases. Four cases need another decision:
 *
 * 1. The answer is complete before the body has come to its end, as with a 413. "Connection: close" would
 *    make Node.js close the connection under the client's writes, and the reset could destroy the answer
 *    (lingering.ts). So the connection stays open, Node.js drops the rest of the body, and the next request is
 *    served.
 * 2. The service is draining: it has got SIGTERM, and still takes requests. Each answer says "Connection:
 *    close", so that the client or the load balancer sends its next request elsewhere. If other requests of
 *    the connection wait, only the last answer says so, because nothing that follows such an answer is
 *    carried out. For example, of three pipelined creates the answers to the first two keep the connection
 *    open, and the third one closes it. Once the drain is over, Fastify sets the header of every answer.
 * 3. A request of HTTP/1.0 has a Transfer-Encoding. HTTP/1.0 has no chunks, so nobody can trust where the
 *    request ends, and nothing more is read (RFC 9112, section 6.1).
 * 4. A request asks for an Upgrade, which the service ignores. Node.js drops what came behind the request in
 *    the same packet, and would read the next packet as a new request, even if it is the middle of one. So
 *    the connection closes.
 *
 * The cost: while the service drains, clients open a new connection for each request.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type { Connections } from './connections.js';

type SetHeader = (request: FastifyRequest, reply: FastifyReply) => void;

interface ConnectionHeaderOptions {
  readonly connections: Connections;
  /** Decides for one answer, as `connectionHeaderSetter` has made it. */
  readonly setHeader: SetHeader;
}

/** Sets the header of each answer, and closes `connections` when the app closes. */
export const connectionHeader = plugin(
  async (app: FastifyInstance, { connections, setHeader }: ConnectionHeaderOptions) => {
    app.addHook('onSend', (request, reply, _payload, done) => {
      setHeader(request, reply);
      done();
    });
    app.addHook('preClose', (done) => {
      connections.close();
      done();
    });
  },
  { name: 'connection-header' },
);

/**
 * @param ending aborted when the drain begins
 * @returns a function that sets the header of an answer, for those that no hook sees, too
 */
export function connectionHeaderSetter(connections: Connections, ending?: AbortSignal): SetHeader {
  return ({ raw }, reply) => {
    const isEnding = ending?.aborted || connections.isClosing;
    const endsByItsForm = isChunkedInVersion10(raw) || raw.headers.upgrade !== undefined;
    if (endsByItsForm) reply.header('Connection', 'close');
    else if (isArriving(raw)) reply.header('Connection', 'keep-alive');
    else if (isEnding && connections.isLast(raw)) reply.header('Connection', 'close');
  };
}

/**
 * @returns whether the body of the request has not come to its end yet. `complete` is still false when
 * Node.js announces a request without a body, so it says nothing there
 */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && !complete;
}

function isChunkedInVersion10({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}
