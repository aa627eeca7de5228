/**
 * Whether a connection stays open after an answer. Four cases differ from what Node.js and Fastify would do:
 *
 * 1. The body has not come to its end. "Connection: close" would make Node.js close the connection under the client's
 *    writes, and the reset could destroy the answer (rest.ts). So the connection stays, the rest of the body is dropped,
 *    and the next request is served. A client that still waits for "100 Continue" will not send its body, so there
 *    the connection closes.
 * 2. The service is ending. Clients and load balancers should send their next request elsewhere, so each answer says
 *    "Connection: close", unless another request of the same connection waits: what follows such an answer is not
 *    carried out (RFC 9112, section 9.6). Once the drain time is over, Fastify says so in any case.
 * 3. HTTP/1.0 knows no chunks. Framing that says otherwise cannot be trusted, so nothing more is read (RFC 9112,
 *    section 6.1).
 * 4. A request asks for an Upgrade, which is ignored. Node.js drops what came behind it in the same packet, and would read
 *    the next packet as a new request, even if it is the middle of one. So the connection closes.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { awaitsContinue } from '../contract/request/continue.js';
import type { Connections } from './connections.js';

type SetHeader = (request: FastifyRequest, reply: FastifyReply) => void;

/** @returns a function for answers that no hook sees */
export function closeConnections(
  app: FastifyInstance,
  connections: Connections,
  ending?: AbortSignal,
): SetHeader {
  const setHeader: SetHeader = ({ raw }, reply) => {
    const isEnding = ending?.aborted || connections.isClosing;
    const isLastByForm = isChunkedInVersion10(raw) || raw.headers.upgrade !== undefined;
    if (isLastByForm) reply.header('Connection', 'close');
    else if (isArriving(raw)) reply.header('Connection', awaitsContinue(raw) ? 'close' : 'keep-alive');
    else if (isEnding && connections.isLast(raw)) reply.header('Connection', 'close');
  };
  app.addHook('onSend', (request, reply, _payload, done) => {
    setHeader(request, reply);
    done();
  });
  app.addHook('preClose', (done) => {
    connections.close();
    done();
  });
  return setHeader;
}

/** Node.js knows that a request without a body is complete only after it has announced it. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && !complete;
}

function isChunkedInVersion10({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}
