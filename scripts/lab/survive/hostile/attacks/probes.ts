/** Attacks on what is answered without a token. */
import { Client } from '../../../../kit/http/client.js';
import type { Attack, AttackResult } from '../attack.js';
import { get, urlOf } from '../request.js';
import type { Target } from '../target.js';
import { reasonOf, tally } from '../words.js';

const readiness = { connections: 1_500, seconds: 5 };
const documents = { requests: 5_000, connections: 20, maxMegabytes: 512 };

export const probeAttacks: readonly Attack[] = [
  {
    name: `\`/ready\`, again and again for ${readiness.seconds} s, on ${readiness.connections.toLocaleString('en')} connections`,
    promise: 'every request is answered 200, and so are creates',
    carryOut: askWhetherReady,
  },
  {
    name: `${documents.requests.toLocaleString('en')} times \`/openapi.json\`, each with another \`Host\``,
    promise: `every request is answered 200, and the process stays below ${documents.maxMegabytes} MB`,
    carryOut: readDocuments,
  },
];

async function askWhetherReady({ port }: Target): Promise<AttackResult> {
  const deadline = performance.now() + 1_000 * readiness.seconds;
  const results: string[] = [];
  const ask = async (client: Client): Promise<void> => {
    while (performance.now() < deadline) {
      results.push(await client.ask(get('/ready')).then(({ status }) => String(status), reasonOf));
    }
    client.close();
  };
  await Promise.all(Array.from({ length: readiness.connections }, () => ask(new Client(urlOf(port)))));
  return { saw: tally(results), isAsPromised: results.every((result) => result === '200') };
}

async function readDocuments(target: Target): Promise<AttackResult> {
  const before = await target.peakMemory();
  const results: string[] = [];
  let asked = 0;
  const ask = async (client: Client): Promise<void> => {
    while (asked < documents.requests) {
      const host = urlOf(target.port);
      host.hostname = `host-${asked++}.example`;
      const request = { ...get('/openapi.json'), headers: [['Accept-Encoding', 'gzip'] as const] };
      results.push(await client.ask(request, host).then(({ status }) => String(status), reasonOf));
    }
    client.close();
  };
  await Promise.all(Array.from({ length: documents.connections }, () => ask(new Client(urlOf(target.port)))));
  const peak = await target.peakMemory();
  return {
    saw: `${tally(results)}; the process has ${before} MB before, and ${peak} MB at most`,
    isAsPromised: results.every((result) => result === '200') && peak < documents.maxMegabytes,
  };
}
