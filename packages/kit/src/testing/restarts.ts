import type { Test } from 'tap';
import { until } from './process.js';
import type { Server } from './server.js';

/**
 * Ends the first replica and starts it again, then the next, and so on; each is ended when the one before is
 * used.
 *
 * @param replicas the running ones, in the order in which they are ended; it is kept up to date
 * @param start starts a replica on a port
 * @param restarts how many in all
 * @throws {Error} if there is no replica, or the proxy does not use a new one within three minutes
 */
export async function restartInTurn(
  t: Test,
  replicas: Server[],
  start: (port: number) => Promise<Server>,
  restarts: number,
): Promise<void> {
  for (let restart = 0; restart < restarts; restart++) {
    const replica = replicas.shift();
    if (replica === undefined) throw new Error('There is no replica.');
    replica.child.kill('SIGTERM');
    t.equal(await replica.ended, 0);
    const next = await start(replica.port);
    replicas.push(next);
    await until('the proxy uses it', () => next.stdout().includes('"/plants'));
  }
}
