/** Faults of the networks between clients, the service and PostgreSQL. */

import type { Random } from '../../../../contract-tools/base.js';
import { delayMs, type TcpProxy, type Weather } from '../../../../kit/index.js';
import type { Stage } from '../stage.js';
import type { InjectedFault } from './injected-fault.js';

type Networks = (stage: Stage, random: Random) => readonly TcpProxy[];

const toDatabase: Networks = ({ databaseNetworks }) => databaseNetworks;
const networks: readonly (readonly [string, Networks])[] = [
  ['clients', ({ clientNetwork }) => [clientNetwork]],
  ['PostgreSQL', toDatabase],
];

/** Longer than the service waits for a statement. */
const longSilenceMs = 12_000;

const ofAll: readonly InjectedFault[] = networks.flatMap(([peer, chosen]) => {
  const fault = (what: string, weather: Exclude<Weather, 'fair'>, milliseconds: number): InjectedFault => ({
    name: `the network to ${peer} ${what}${milliseconds === 0 ? '' : ` for ${milliseconds / 1_000} s`}`,
    missing: ({ databaseNetworks }) =>
      chosen === toDatabase && databaseNetworks.length === 0
        ? 'there is no network to the embedded PostgreSQL'
        : undefined,
    async inject(stage, random) {
      await Promise.all(chosen(stage, random).map((network) => network.make(weather, milliseconds)));
    },
  });
  return [
    fault('resets all connections', 'reset', 0),
    fault('resets every connection', 'reset', 1_000),
    fault('halves what it carries, and resets', 'halve', 500),
    fault(`delays everything by ${delayMs / 1_000} s`, 'delay', 2_000),
    fault('is silent', 'silence', 2_000),
    fault('loses everything', 'drop', 2_000),
    { ...fault('is silent', 'silence', longSilenceMs), slow: true } as const,
  ];
});

const cutOffMs = 2_000;

/** Cuts one replica off its database. HAProxy has to leave it alone. */
const ofOne: InjectedFault = {
  name: `the network of one replica to PostgreSQL loses everything for ${cutOffMs / 1_000} s`,
  missing: ({ databaseNetworks }) =>
    databaseNetworks.length > 1 ? undefined : 'the replicas, if there are several, share a network',
  async inject({ databaseNetworks }, random) {
    await databaseNetworks[random.below(databaseNetworks.length)]?.make('drop', cutOffMs);
  },
};

export const networkFaults: readonly InjectedFault[] = [...ofAll, ofOne];
