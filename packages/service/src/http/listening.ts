/**
 * Listens on HOST and PORT, or on ADMIN_HOST and ADMIN_PORT, and says what to set if that fails. The start
 * tries both before it makes a database, because a port that is taken is the most common mistake.
 */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { reasonForPeople } from '../errors/reason.js';
import { type Settings, SettingsError } from '../settings.js';

/** How many connections may wait until the service accepts them. The kernel has a limit, too. */
export const backlog = 4_096;

type Address = Pick<Settings, 'host' | 'port'>;
type PortSetting = 'PORT' | 'ADMIN_PORT';
const hostSettings = { PORT: 'HOST', ADMIN_PORT: 'ADMIN_HOST' } as const;

/**
 * Finds out before anything slow whether the service can listen. It frees the port again, because connections
 * would hang until the service is ready.
 *
 * @param setting the name of the port's setting, for the message
 * @throws {SettingsError} if it cannot listen
 */
export async function tryToListen({ host, port }: Address, setting: PortSetting = 'PORT'): Promise<void> {
  await explained({ host, port }, setting, async () => {
    const server = createServer().listen(port, await addressOf(host));
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  });
}

/**
 * @returns the URL at which the app listens
 * @throws {SettingsError} if it cannot listen
 */
export function listen(
  app: FastifyInstance,
  { host, port }: Address,
  setting: PortSetting = 'PORT',
): Promise<string> {
  return explained({ host, port }, setting, async () =>
    app.listen({ host: await addressOf(host), port, backlog }),
  );
}

/**
 * @returns the first address of a host. For "localhost", Fastify would listen on all of its addresses, and
 * print only one.
 */
async function addressOf(host: string): Promise<string> {
  return (await lookup(host)).address;
}

async function explained<Result>(
  { host, port }: Address,
  setting: PortSetting,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // Only the operating system's errors arrive here.
    const { code } = error as NodeJS.ErrnoException;
    const hostSetting = hostSettings[setting];
    const advice =
      code === 'EADDRINUSE' || code === 'EACCES'
        ? `Choose another with ${setting}=…, or any that is free with ${setting}=0.`
        : `Choose one of this machine's addresses with ${hostSetting}=….`;
    throw new SettingsError(
      `Cannot listen on ${hostSetting} "${host}", ${setting} "${port}": ${reasonForPeople(error)}. ${advice}`,
    );
  }
}
