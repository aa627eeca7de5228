import type { FastifyInstance } from 'fastify';
import { backlog } from '../../src/start/listening.js';
import type { Scope } from './scope.js';

/** Has an app listen on a free port until the scope ends. @returns its address */
export async function listenIn(scope: Scope, app: FastifyInstance): Promise<string> {
  const address = await app.listen({ host: '127.0.0.1', port: 0, backlog });
  scope.teardown(() => {
    // A browser keeps a connection in reserve, on which it has asked for nothing yet.
    app.server.closeAllConnections();
    return app.close();
  });
  return address;
}
