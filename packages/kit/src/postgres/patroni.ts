/**
 * Runs three PostgreSQL servers under Patroni, with etcd and HAProxy, configured by the files in docs/scale/.
 * So it tests these files, too: only addresses and folders in them are replaced.
 *
 * Each member and etcd, and the members among each other, are connected through proxies (`networks`), which a
 * test breaks to cut a member off. A leader without etcd asks the others' REST API whether it may go on. Clients
 * reach whichever member leads through HAProxy (`PatroniCluster.url`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from '../../../contract-tools/base.js';
import { account, giveToAccount } from '../account.js';
import { fixedPorts } from '../fixed-ports.js';
import { makeFolder } from '../folder.js';
import { isAlive, send } from '../processes.js';
import { projectFolder } from '../project.js';
import { TcpProxy } from '../tcp-proxy.js';
import { until } from '../testing/process.js';
import { debianEnvironment, programs, runAsAccount } from './debian-postgres.js';

const names = ['one', 'two', 'three'] as const;
const commands = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy', join(programs, 'postgres')];
const missing = commands.filter((command) => !existsSync(command));
/** The reason to skip tests with Patroni on this machine; false if they can run. */
export const withoutPatroni = missing.length > 0 && `not installed: ${missing.join(', ')}`;

const password = 'change-me';
/** Another member has become the leader by then: a leader that is gone keeps its lock for less. */
const electionMs = 40_000;

/** A machine of the cluster. */
export interface Member {
  readonly name: string;
  /** The address of Patroni's REST API. */
  readonly api: string;
  /** The URL of its PostgreSQL, past HAProxy. */
  readonly url: string;
  /** The folder of its PostgreSQL. */
  readonly data: string;
  /** The configuration file of its Patroni. */
  readonly configuration: string;
  /** The proxies between it and the rest of the cluster: to etcd, and to its PostgreSQL and API. HAProxy goes past them. */
  readonly networks: { readonly etcd: TcpProxy; readonly postgres: TcpProxy; readonly api: TcpProxy };
  /** The process id of its Patroni. */
  patroni: number;
}

/** A member, as the answer of /cluster describes it. */
interface Described {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
  /** How many bytes it is behind the leader. */
  readonly lag?: number | 'unknown';
}

/** Three members, etcd and HAProxy. */
export class PatroniCluster {
  readonly members: readonly Member[];
  readonly folder: string;
  /** The URL of the leader, through HAProxy. */
  readonly url: string;
  readonly #cleanup: Scope;

  private constructor(cleanup: Scope, folder: string, members: readonly Member[], port: number) {
    this.#cleanup = cleanup;
    this.folder = folder;
    this.members = members;
    this.url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  }

  /**
   * Starts all three, and waits until the cluster is whole.
   *
   * @param cleanup ends all processes
   * @throws {Error} if that takes more than three minutes
   */
  static async start(cleanup: Scope): Promise<PatroniCluster> {
    const folder = await makeFolder(cleanup);
    await giveToAccount(folder);
    const [etcd = 0, peers = 0, leader = 0, ...ports] = await fixedPorts(3 + 2 * names.length);
    await startEtcd(cleanup, folder, etcd, peers);
    const members: Member[] = [];
    for (const [at, name] of names.entries()) {
      const [api = 0, postgres = 0] = ports.slice(2 * at);
      members.push(await addMember(cleanup, { name, folder, api, postgres, etcd }));
    }
    const cluster = new PatroniCluster(cleanup, folder, members, leader);
    await startHaproxy(cleanup, folder, members, leader);
    for (const member of members) await cluster.run(member);
    await cluster.untilWhole();
    return cluster;
  }

  /** Starts a member whose Patroni does not run. */
  async run(member: Member): Promise<void> {
    member.patroni = await runInBackground(this.#cleanup, this.folder, member.name, [
      '/usr/bin/patroni',
      member.configuration,
    ]);
  }

  /**
   * Waits until there is a leader.
   *
   * @throws {Error} after three minutes without one
   */
  async leader(): Promise<Member> {
    return until('there is a leader', async () => {
      for (const member of this.members) if (await isLeader(member)) return member;
      return undefined;
    });
  }

  /**
   * Waits until another member than `before` is the leader, by its REST API.
   *
   * @throws {Error} after 40 seconds without one
   */
  async leaderAfter(before: Member): Promise<Member> {
    const others = this.members.filter((member) => member !== before);
    const deadline = performance.now() + electionMs;
    while (performance.now() < deadline) {
      for (const member of others) if (await isLeader(member)) return member;
      await pause(10);
    }
    throw new Error(`No other than ${before.name} became the leader.`);
  }

  /**
   * Waits until there are a leader, a synchronous standby, and another standby that streams.
   *
   * @throws {Error} if that takes more than three minutes
   */
  async untilWhole(): Promise<void> {
    await until('the cluster is whole', async () => {
      const members = await describe(await this.leader());
      return (
        members.length === names.length &&
        members.every(({ state, timeline }) => state === 'running' && timeline === members[0]?.timeline) &&
        members.every(({ role, lag }) => role === 'leader' || typeof lag === 'number') &&
        members.some(({ role }) => role === 'sync_standby')
      );
    });
  }

  /**
   * Makes the synchronous standby the leader instead of `from`.
   *
   * @throws {Error} of Node.js if patronictl fails
   */
  async switchOver(from: Member): Promise<void> {
    const to = (await describe(from)).find(({ role }) => role === 'sync_standby');
    const parameters = ['--master', from.name, '--candidate', to?.name ?? '', '--force'];
    const command = ['/usr/bin/patronictl', '-c', from.configuration, 'switchover', 'plants'];
    await runAsAccount(this.folder, [...command, ...parameters]);
  }
}

/** Reads the process id of a member's postmaster from its file. */
export async function postmasterOf({ data }: Member): Promise<number> {
  return Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10);
}

async function describe({ api }: Member): Promise<readonly Described[]> {
  const response = await fetch(`${api}/cluster`);
  // As Patroni documents it.
  const { members } = (await response.json()) as { members: readonly Described[] };
  return members;
}

/**
 * Says whether the member holds the lock and its PostgreSQL has been promoted. A member that is silent is no
 * leader.
 */
export async function isLeader({ api }: Member): Promise<boolean> {
  const response = await ask(`${api}/primary`);
  // As Patroni documents it.
  const { role } = ((await response?.json().catch(() => undefined)) ?? {}) as Partial<Described>;
  return response?.status === 200 && (role === 'master' || role === 'primary');
}

async function ask(url: string): Promise<Response | undefined> {
  return fetch(url, { signal: AbortSignal.timeout(500) }).catch(() => undefined);
}

async function runInBackground(
  cleanup: Scope,
  folder: string,
  name: string,
  [program = '', ...parameters]: readonly string[],
): Promise<number> {
  const log = await open(join(folder, `${name}.log`), 'a');
  const env = { ...debianEnvironment, HOME: folder };
  const child = spawn(program, parameters, {
    cwd: folder,
    env,
    stdio: ['ignore', log.fd, log.fd],
    ...account,
  });
  const ended = once(child, 'exit');
  cleanup.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child, 'spawn');
  await log.close();
  return child.pid ?? 0;
}

async function startEtcd(cleanup: Scope, folder: string, port: number, peers: number): Promise<void> {
  const [own, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  await runInBackground(cleanup, folder, 'etcd', [
    '/usr/bin/etcd',
    ...['--data-dir', join(folder, 'etcd'), '--initial-cluster', `default=${peer}`],
    ...['--listen-client-urls', own, '--advertise-client-urls', own],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ]);
  await until('etcd listens', async () => (await ask(`${own}/health`))?.status === 200);
}

/** Where a member is: its folder, and the ports of its parts. */
interface Place {
  readonly name: string;
  readonly folder: string;
  readonly api: number;
  readonly postgres: number;
  readonly etcd: number;
}

/**
 * Writes the configuration of a member: that of docs/scale/patroni.yml, at other addresses. Starts its
 * networks.
 */
async function addMember(cleanup: Scope, { name, folder, api, postgres, etcd }: Place): Promise<Member> {
  const upstream = (port: number) => TcpProxy.start(cleanup, () => ({ host: '127.0.0.1', port }));
  const networks = {
    etcd: await upstream(etcd),
    postgres: await upstream(postgres),
    api: await upstream(api),
  };
  const data = join(folder, `data-${name}`);
  const configuration = join(folder, `${name}.yml`);
  const changes: readonly (readonly [RegExp, string])[] = [
    [/^name: one$/m, `name: ${name}`],
    // Otherwise, Patroni would ask etcd for its own address, and go past the network.
    [/^( {2}hosts:) .*$/m, `$1 127.0.0.1:${networks.etcd.port}\n  use_proxies: true`],
    [/^( {2}connect_address:) 10\.0\.0\.1:5432$/m, `$1 127.0.0.1:${networks.postgres.port}`],
    [/^( {2}connect_address:) 10\.0\.0\.1:8008$/m, `$1 127.0.0.1:${networks.api.port}`],
    [/10\.0\.0\.1:5432/g, `127.0.0.1:${postgres}`],
    [/10\.0\.0\.1:8008/g, `127.0.0.1:${api}`],
    [/10\.0\.0\.0\/24/g, '127.0.0.0/8'],
    [/^( {2}data_dir:) .*$/m, `$1 ${data}`],
    [/^( {2}bin_dir:) .*$/m, `$1 ${programs}\n  parameters:\n    unix_socket_directories: ''`],
  ];
  await writeFile(configuration, await changed('patroni.yml', changes));
  const url = `postgresql://postgres:${password}@127.0.0.1:${postgres}/postgres`;
  const member = { name, api: `http://127.0.0.1:${api}`, url, data, configuration, networks, patroni: 0 };
  cleanup.teardown(async () => {
    const pid = await postmasterOf(member).catch(() => 0);
    if (pid === 0) return;
    // An immediate shutdown; a stopped one takes it when it goes on.
    for (const signal of ['SIGQUIT', 'SIGCONT'] as const) send(signal, pid);
    await until('PostgreSQL is gone', async () => !(await isAlive(pid)));
  });
  return member;
}

async function startHaproxy(
  cleanup: Scope,
  folder: string,
  members: readonly Member[],
  leader: number,
): Promise<void> {
  const file = join(folder, 'haproxy.cfg');
  const changes: (readonly [RegExp, string])[] = [
    [/127\.0\.0\.1:5000/, `127.0.0.1:${leader}`],
    [/check port 8008/, 'check'],
  ];
  for (const [at, { api, url }] of members.entries()) {
    const [health, postgres] = [new URL(api), new URL(url)];
    changes.push([new RegExp(`10\\.0\\.0\\.${at + 1}:5432`, 'g'), `${postgres.host} port ${health.port}`]);
  }
  await writeFile(file, await changed('haproxy.cfg', changes));
  await runInBackground(cleanup, folder, 'haproxy', ['/usr/sbin/haproxy', '-db', '-f', file]);
}

/** @throws {Error} if the page of docs/scale/ lacks what a change replaces */
async function changed(name: string, changes: readonly (readonly [RegExp, string])[]): Promise<string> {
  let text = await readFile(join(projectFolder, 'docs', 'scale', name), 'utf8');
  for (const [what, by] of changes) {
    if (text.search(what) < 0) throw new Error(`docs/scale/${name} has no ${what}.`);
    text = text.replace(what, by);
  }
  return text;
}
