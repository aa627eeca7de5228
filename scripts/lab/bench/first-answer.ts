import { Client } from '../../kit/http/client.js';
import { FailedLoadError } from '../../kit/load.js';

/** Reads one short list, on a connection of its own. */
export async function firstAnswer(address: string, [token]: readonly string[]): Promise<void> {
  const client = new Client(new URL(address));
  const headers = [['Authorization', `Bearer ${token}`]] as const;
  const { status } = await client
    .ask({ method: 'GET', target: '/plants?limit=20', headers })
    .finally(() => client.close());
  if (status !== 200) throw new FailedLoadError(`The first answer was ${status}.`);
}
