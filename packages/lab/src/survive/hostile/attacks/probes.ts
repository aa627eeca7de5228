/** Attacks on what is answered without a token. */
import { Client } from '../../../../../kit/index.js';
import type { Attack, AttackResult } from '../attack.js';
import { get, urlOf } from '../request.js';
import type { Target } from '../target.js';
import { codeOrMessage, tally } from '../words.js';

const connections = 1_500;
const seconds = 5;

export const probeAttacks: readonly Attack[] = [
  {
    name: `\`/ready\`, again and again for ${seconds} s, on ${connections.toLocaleString('en')} connections`,
    promise: 'every request is answered 200, and so are creates',
    carryOut,
  },
];

async function carryOut({ port }: Target): Promise<AttackResult> {
  const deadline = performance.now() + 1_000 * seconds;
  const results: string[] = [];
  const ask = async (client: Client): Promise<void> => {
    while (performance.now() < deadline) {
      results.push(await client.ask(get('/ready')).then(({ status }) => String(status), codeOrMessage));
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, () => ask(new Client(urlOf(port)))));
  return { saw: tally(results), isAsPromised: results.every((result) => result === '200') };
}
