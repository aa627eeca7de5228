import type { Fault } from '../faults.js';
import type { Stage } from '../stage.js';
import { delayMs, type TcpProxy, type Weather } from '../tcp-proxy.js';

const networks: readonly (readonly [string, (stage: Stage) => TcpProxy | undefined])[] = [
  ['clients', ({ clientNetwork }) => clientNetwork],
  ['PostgreSQL', ({ databaseNetwork }) => databaseNetwork],
];

/** Longer than the service waits for a statement. */
const longSilence = 12_000;

export const networkFaults: readonly Fault[] = networks.flatMap(([peer, network]) => {
  const fault = (what: string, weather: Exclude<Weather, 'fair'>, milliseconds: number): Fault => ({
    name: `the network to ${peer} ${what}${milliseconds === 0 ? '' : ` for ${milliseconds / 1_000} s`}`,
    missing: (stage) => (network(stage) ? undefined : 'there is no network to the embedded PostgreSQL'),
    strike: async (stage) => network(stage)?.make(weather, milliseconds),
  });
  return [
    fault('resets all connections', 'reset', 0),
    fault('resets every connection', 'reset', 1_000),
    fault('halves what it carries, and resets', 'halve', 500),
    fault(`delays everything by ${delayMs / 1_000} s`, 'delay', 2_000),
    fault('is silent', 'silence', 2_000),
    fault('loses everything', 'drop', 2_000),
    { ...fault('is silent', 'silence', longSilence), slow: true } as const,
  ];
});
