/** Faults of processes: the service, PostgreSQL and the pooler are killed, ended and stopped. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../../contract-tools/base.js';
import { childrenOf, isAlive, send } from '../../../../kit/index.js';
import type { Stage } from '../stage.js';
import type { InjectedFault } from './injected-fault.js';

const stopMs = 2_000;
const watchMs = 10;
/** How long a shutdown may take. A smart one waits for the service's connections to grow old. */
const maxShutdownMs = 40_000;

type Target = (stage: Stage, random: Random) => Promise<(number | undefined)[]>;

/** Chooses one of the replicas. */
const node: Target = async ({ replicas }, random) => [replicas[random.below(replicas.length)]?.pid];
const allNodes: Target = async ({ replicas }) => replicas.map(({ pid }) => pid);
const pooler: Target = async ({ pooler }) => [pooler?.pid];
const postmaster: Target = async ({ postgres }) => [await postgres.pid()];
const backends: Target = ({ postgres }) => postgres.backends();
const oneBackend: Target = async ({ postgres }, random) => {
  const pids = await postgres.backends();
  return [pids[random.below(pids.length)]];
};
const both: Target = async (stage, random) => [
  ...(await allNodes(stage, random)),
  ...(await postmaster(stage, random)),
];

/** Chooses all processes, as a power cut does. But the disk keeps what was not flushed. */
const everything: Target = async (stage, random) => {
  const pids = (await both(stage, random)).filter((pid) => pid !== undefined);
  return [...pids, ...(await Promise.all(pids.map(childrenOf))).flat()];
};

export const processFaults: readonly InjectedFault[] = [
  ending('node is killed', 'SIGKILL', node),
  ending('node is asked to end', 'SIGTERM', node),
  ending('node gets SIGQUIT', 'SIGQUIT', node),
  stopping('node stops', node),
  { ...ending('all replicas are killed', 'SIGKILL', allNodes), missing: withoutReplicas },
  { ...ending('the pooler is killed', 'SIGKILL', pooler), missing: withoutPooler },
  { ...stopping('the pooler stops', pooler), missing: withoutPooler },
  ending('the postmaster is killed', 'SIGKILL', postmaster),
  { ...ending('PostgreSQL shuts down, smart', 'SIGTERM', postmaster), slow: true },
  ending('PostgreSQL shuts down, fast', 'SIGINT', postmaster),
  ending('PostgreSQL shuts down, immediate', 'SIGQUIT', postmaster),
  stopping('the postmaster stops', postmaster),
  sending('a backend is killed', 'SIGKILL', oneBackend),
  sending('a backend is asked to end', 'SIGTERM', oneBackend),
  stopping('a backend stops', oneBackend),
  stopping('all backends stop', backends),
  ending('node and the postmaster are killed', 'SIGKILL', both),
  ending('node and all of PostgreSQL are killed', 'SIGKILL', everything),
];

function withoutReplicas({ replicas }: Stage): string | undefined {
  return replicas.length > 1 ? undefined : 'there is one process of the service (--replicas)';
}

function withoutPooler(stage: Stage): string | undefined {
  return stage.pooler === undefined ? 'there is no pooler (--pgbouncer)' : undefined;
}

function sending(name: string, signal: NodeJS.Signals, target: Target): InjectedFault {
  return {
    name,
    async inject(stage, random) {
      for (const pid of await target(stage, random)) if (pid !== undefined) send(signal, pid);
    },
  };
}

/** Makes a fault that sends a signal, and is over when the processes have ended. */
function ending(name: string, signal: NodeJS.Signals, target: Target): InjectedFault {
  return {
    name,
    async inject(stage, random) {
      const pids = (await target(stage, random)).filter((pid) => pid !== undefined);
      for (const pid of pids) send(signal, pid);
      const deadline = performance.now() + maxShutdownMs;
      for (const pid of pids) {
        while ((await isAlive(pid)) && performance.now() < deadline) await pause(watchMs);
      }
    },
  };
}

function stopping(name: string, target: Target): InjectedFault {
  return {
    name: `${name} for ${stopMs / 1_000} s`,
    async inject(stage, random) {
      const pids = (await target(stage, random)).filter((pid) => pid !== undefined);
      for (const pid of pids) send('SIGSTOP', pid);
      await pause(stopMs);
      for (const pid of pids) send('SIGCONT', pid);
    },
  };
}
