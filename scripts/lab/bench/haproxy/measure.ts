/** The service in several deployments: throughput, latency, and whose CPU a request takes. */
import { Cleanup } from '../../../kit/cleanup.js';
import { familyCpuSeconds } from '../../../kit/kernel.js';
import { type Load, type LoadResult, unusedIds } from '../../../kit/load.js';
import { deletesPerSecond, loadMeasures, plantsOfPages } from '../loads.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, type Measurement, seriesOf } from '../rounds.js';
import { connections, owners, type Session } from '../session.js';
import { type Deployment, deploymentNames, startDeployments } from './deployments.js';

type Kind = Load['kind'];

const titles: Readonly<Record<Kind, string>> = {
  create: 'Creates',
  delete: 'Deletes',
  page: 'Lists of limit=20',
  mix: 'Daily life',
};

const parts = {
  service: 'the service',
  postgres: 'PostgreSQL',
  proxy: 'HAProxy',
} as const;
type Part = keyof typeof parts;

/** The figures of a load, with the CPU time of a request in milliseconds. */
interface Figures extends LoadResult {
  readonly cpu: Readonly<Record<Part, number>>;
}

export function measureDeployments(kind: Kind): (session: Session) => Promise<Measured[]> {
  return async (session) => {
    const title = `${titles[kind]} by deployment`;
    const cleanup = new Cleanup();
    session.cleanup.teardown(() => cleanup.run());
    try {
      session.progress.show('starting the deployments');
      const deployments = await startDeployments(session, cleanup, deploymentNames);
      // Pages only read their plants, so these are stored once.
      if (kind === 'page') for (const deployment of deployments) await store(deployment, plantsOfPages);
      const entrants = deployments.map((deployment) => entrantOf(session, deployment, kind));
      return toMeasured(kind, title, await inRounds(title, entrants, session));
    } finally {
      await cleanup.run();
    }
  };
}

async function store({ database }: Deployment, plants: number): Promise<void> {
  await database.fill(plants, owners);
}

function entrantOf({ options, send, tokens }: Session, deployment: Deployment, kind: Kind): Entrant<Figures> {
  const { name, title, address, isWarm } = deployment;
  const plantsFor = (seconds: number) =>
    ({ create: 0, delete: seconds * deletesPerSecond, page: 0, mix: plantsOfPages })[kind];
  const load = (seconds: number) =>
    send(address, {
      ...{ kind, seconds, tokens, connections },
      firstId: kind === 'delete' ? 1 : unusedIds(),
    });
  return {
    ...{ name, title },
    ...(kind !== 'page' && {
      prepare: (round: number) =>
        store(deployment, plantsFor(round > 0 ? options.seconds : options.warmUpSeconds)),
    }),
    async measure() {
      const before = await cpuOf(deployment);
      const result = await load(options.seconds);
      const after = await cpuOf(deployment);
      const each = (part: Part) => (1_000 * (after[part] - before[part])) / result.requests;
      const cpu = {
        ...{ service: each('service'), postgres: each('postgres') },
        proxy: each('proxy'),
      };
      return { ...result, cpu };
    },
    warmUp: isWarm === true ? null : () => load(options.warmUpSeconds),
  };
}

/** @returns the CPU time of each part so far in seconds; NaN if there is no such part */
async function cpuOf({ heads }: Deployment): Promise<Record<Part, number>> {
  const secondsOf = async (part: Part) => {
    const pids = heads[part];
    return pids === undefined ? Number.NaN : familyCpuSeconds(pids);
  };
  return {
    ...{ service: await secondsOf('service'), postgres: await secondsOf('postgres') },
    proxy: await secondsOf('proxy'),
  };
}

function toMeasured(kind: Kind, title: string, measured: readonly Measurement<Figures>[]): Measured[] {
  const name = `${kind === 'mix' ? 'mixe' : kind}s-by-deployment`;
  // This file declares the object, so it has no other keys.
  const cpu = (Object.keys(parts) as Part[]).map(
    (part): Measured => ({
      ...{ name: `${name}-cpu-${part}`, title: `${title}: CPU for each, ${parts[part]}` },
      ...{ unit: 'ms', better: 'less', series: seriesOf(measured, (figures) => figures.cpu[part]) },
    }),
  );
  return [...loadMeasures(name, title, measured), ...cpu];
}
