/** Makes an app listen on a free port until the end of a test or a command. */
import type { FastifyInstance } from 'fastify';
import type { Scope } from '../../../contract-tools/base.js';
import { backlog } from '../../src/http/listening.js';

/** @returns its address, such as `http://127.0.0.1:40123` */
export async function listenIn(scope: Scope, app: FastifyInstance): Promise<string> {
  const address = await app.listen({ host: '127.0.0.1', port: 0, backlog });
  scope.teardown(() => {
    // A browser keeps a connection without a request in reserve, and `close` would wait for it.
    app.server.closeAllConnections();
    return app.close();
  });
  return address;
}
