import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { reasonFor } from './reason.js';
import { type Settings, SettingsError } from './settings.js';

type Place = Pick<Settings, 'host' | 'port'>;

/**
 * Finds out, before the slow part of a start, whether it could listen. Nobody can connect from then on until `listen`: a
 * connection that waits for a service which is not ready would hang. Somebody else may take the port meanwhile, and then
 * `listen` fails in the same words.
 *
 * @throws {SettingsError} if it could not
 */
export async function tryToListen({ host, port }: Place): Promise<void> {
  await explained({ host, port }, async () => {
    const server = createServer().listen(port, await addressOf(host));
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  });
}

/**
 * @returns the address of the service
 * @throws {SettingsError} if it cannot listen
 */
export function listen(app: FastifyInstance, { host, port }: Place): Promise<string> {
  return explained({ host, port }, async () => app.listen({ host: await addressOf(host), port }));
}

/**
 * An address, because for the name "localhost" Fastify makes a second server, which has not what ours listens for, such
 * as connections that break (fastify 5, lib/server.js, multipleBindings).
 */
async function addressOf(host: string): Promise<string> {
  return (await lookup(host)).address;
}

async function explained<Result>({ host, port }: Place, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const advice =
      code === 'EADDRINUSE' || code === 'EACCES'
        ? 'Choose another with PORT=…, or any that is free with PORT=0.'
        : "Choose one of this machine's addresses with HOST=….";
    throw new SettingsError(
      `Cannot listen on HOST "${host}", PORT "${port}": ${reasonFor(error)}. ${advice}`,
    );
  }
}
