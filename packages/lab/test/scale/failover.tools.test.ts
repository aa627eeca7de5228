import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { describe } from '../../../contract-tools/check.js';
/** docs/scale/failover.md says what this shows. */
import { readDocument } from '../../../contract-tools/index.js';
import { Cleanup, childrenOf, compile, contractFile, isAlive, send } from '../../../kit/index.js';
import {
  isLeader,
  type Member,
  PatroniCluster,
  postmasterOf,
  withoutPatroni,
} from '../../../kit/postgres.js';
import { call, until } from '../../../kit/testing.js';
import { hashToken, makeToken, migrate } from '../../../service/layer.js';
import { clients, Load } from '../../src/survive/load.js';
import { Outages } from '../../src/survive/outages.js';
import { Service } from '../../src/survive/service.js';
import { plants } from '../../src/survive/subject.js';
import { Writer } from './writer.js';

/** Milliseconds. Longer than a leader that is gone keeps its lock. */
const cutMs = 40_000;
/** From the moment at which another is the leader. */
const mostMs = 2_000;
const owners = 2_000;

interface Fault {
  readonly name: string;
  inject(cluster: PatroniCluster, leader: Member): Promise<unknown>;
  lift?(cluster: PatroniCluster, leader: Member): Promise<unknown>;
}

const both = async (leader: Member) => [leader.patroni, await postmasterOf(leader)];
const all = async (leader: Member) => {
  const pids = await both(leader);
  return [...pids, ...(await Promise.all(pids.map(childrenOf))).flat()];
};

async function signal(name: NodeJS.Signals, pids: readonly number[]): Promise<void> {
  for (const pid of pids) send(name, pid);
}

function stopping(name: string, which: (leader: Member) => Promise<number[]>): Fault {
  let stopped: number[] = [];
  return {
    name,
    inject: async (_cluster, leader) => {
      stopped = await which(leader);
      await signal('SIGSTOP', stopped);
    },
    lift: () => signal('SIGCONT', stopped),
  };
}

const faults: readonly Fault[] = [
  {
    name: 'switchover',
    inject: (cluster, leader) => cluster.switchOver(leader),
  },
  {
    name: 'the postmaster of the leader is killed',
    inject: async (_cluster, leader) => signal('SIGKILL', [await postmasterOf(leader)]),
  },
  {
    name: 'the postmaster and Patroni of the leader are killed',
    inject: async (_cluster, leader) => signal('SIGKILL', await both(leader)),
    lift: (cluster, leader) => cluster.run(leader),
  },
  stopping('the postmaster and Patroni of the leader stop, its sessions go on', both),
  stopping('all processes of the leader stop', all),
  {
    name: 'the leader is cut off from etcd and the standbys, but not from the service',
    inject: async ({ members }, { networks }) => {
      for (const network of Object.values(networks)) void network.make('drop', cutMs);
      // By these, the leader reaches the others.
      for (const other of members)
        if (other.networks !== networks) void other.networks.api.make('drop', cutMs);
    },
    lift: () => pause(cutMs),
  },
];

async function startLoad(t: Test, cleanup: Cleanup, cluster: PatroniCluster) {
  const tokens = Array.from({ length: owners }, makeToken);
  await until('HAProxy has the leader', () =>
    migrate(cluster.url, plantStore.migrationFolders).then(
      () => true,
      () => false,
    ),
  );
  const admin = new pg.Client({ connectionString: cluster.url });
  await admin.connect();
  await admin.query(
    `INSERT INTO access_tokens (owner, hash)
     SELECT 'owner-' || (number - 1), decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
    [tokens.map(hashToken)],
  );
  await admin.end();
  await compile(cleanup);
  const command = { file: process.execPath, parameters: ['dist/src/main.js'] };
  const service = await Service.start(cleanup, command, cluster.url);
  const url = `http://127.0.0.1:${service.port}/`;
  const outages = new Outages(clients);
  const description = describe(readDocument(await readFile(contractFile, 'utf8'), contractFile));
  const load = new Load({
    url: new URL(url),
    description,
    seed: 1,
    tokens: tokens.slice(1),
    outages,
    subject: plants,
  });
  const token = tokens[0] ?? '';
  const writer = new Writer(url.slice(0, -1), token);
  load.start();
  writer.start();
  t.teardown(() => Promise.all([load.stop(), writer.stop()]));
  return { load, writer, service, listed: () => call(url.slice(0, -1), 'GET', '/plants', { token }) };
}

t.test('the leader is lost and replaced', { skip: withoutPatroni, timeout: 900_000 }, async (t) => {
  const cleanup = new Cleanup();
  t.teardown(() => cleanup.run());
  const cluster = await PatroniCluster.start(cleanup);
  const { load, writer, service, listed } = await startLoad(t, cleanup, cluster);
  const { pid } = service;
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(2);
  t.comment(
    'fault | new leader after, s | writes served after that, s | longest gap of writes, s | refused | unknown',
  );
  const only = process.env['FAILOVER_ONLY'] ?? '';
  for (const { name, inject, lift } of faults.filter((fault) => fault.name.includes(only))) {
    await pause(2_000);
    const leader = await cluster.leader();
    const { refused, unknown } = load.counts;
    const begin = performance.now();
    const injected = inject(cluster, leader);
    const next = await cluster.leaderAfter(leader);
    const elected = performance.now();
    const served = await until('writes are served again', () => writer.firstAfter(elected), 60_000);
    await injected;
    t.ok(served - elected < mostMs, `${name}: served ${seconds(served - elected)} s after ${next.name} led`);
    await pause(1_000);
    await lift?.(cluster, leader);
    await cluster.untilWhole();
    t.notOk(await isLeader(leader), `${name}: the old leader is none`);
    const figures = [elected - begin, served - elected, writer.longestGapSince(begin)].map(seconds);
    const counts = [load.counts.refused - refused, load.counts.unknown - unknown];
    t.comment([name, ...figures, ...counts].join(' | '));
  }
  const withoutEtcd = 'all members of etcd are away';
  if (withoutEtcd.includes(only)) {
    const leader = await cluster.leader();
    const postmaster = await postmasterOf(leader);
    const { refused, unknown } = load.counts;
    const begin = performance.now();
    await Promise.all(cluster.members.map(({ networks }) => networks.etcd.make('drop', cutMs)));
    const ended = performance.now();
    await until('writes are served', () => writer.firstAfter(ended), 60_000);
    // Patroni stops the PostgreSQL of a leader that may not go on.
    t.equal(await postmasterOf(leader), postmaster, `${withoutEtcd}: the leader stays`);
    const counts = [load.counts.refused - refused, load.counts.unknown - unknown];
    t.comment([withoutEtcd, '-', '-', seconds(writer.longestGapSince(begin)), ...counts].join(' | '));
    await cluster.untilWhole();
  }
  await writer.stop();
  await load.stop();
  await load.checkInTheEnd();
  t.strictSame(load.anomalies, [], 'nothing lost, doubled or wrong');
  const { status, text } = await listed();
  const names = new Set(JSON.parse(text).map(({ name }: { name: string }) => name));
  t.equal(status, 200);
  t.strictSame(
    writer.ids.filter((id) => !names.has(`plant ${id}`)),
    [],
    'every acknowledged write is there',
  );
  t.equal(service.pid, pid, 'the service never ended');
  t.ok(await isAlive(pid ?? 0));
  const { writes, lists, refused, unknown, statuses } = load.counts;
  t.comment(
    `${writes + writer.ids.length} acknowledged writes, ${lists} lists, ${refused} refused, ${unknown} unknown`,
  );
  t.comment(JSON.stringify([...statuses]));
});
