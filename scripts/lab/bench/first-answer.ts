import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { FailedLoadError } from '../../kit/load.js';

/** Reads one short list, on a connection of its own. */
export async function firstAnswer(address: string, tokens: readonly string[]): Promise<void> {
  const request = get(`${address}/plants?limit=20`, {
    headers: { authorization: `Bearer ${tokens[0]}` },
    agent: false,
    timeout: 10_000,
  });
  request.on('timeout', () => request.destroy(new Error('The first answer took longer than 10 s.')));
  const answers: IncomingMessage[] = await once(request, 'response');
  for (const answer of answers) {
    await once(answer.resume(), 'end');
    if (answer.statusCode !== 200) throw new FailedLoadError(`The first answer was ${answer.statusCode}.`);
  }
}
