/**
 * Ways to run the service: one process alone, one process behind HAProxy, and two processes behind HAProxy.
 */
import { existsSync } from 'node:fs';
import { BenchDatabase } from '../../../kit/database.js';
import { haproxyProgram, startHaproxy } from '../../../kit/haproxy.js';
import type { Postgres } from '../../../kit/postgres.js';
import type { Scope } from '../../../kit/scope.js';
import { Server } from '../../../kit/server.js';
import { service } from '../contestants.js';
import type { Session } from '../session.js';

export const deploymentNames = ['alone', 'balanced', 'balanced-2'] as const;
export type DeploymentName = (typeof deploymentNames)[number];

export interface Deployment {
  readonly name: DeploymentName;
  readonly title: string;
  readonly address: string;
  readonly database: BenchDatabase;
  /**
   * The processes from which those of each part descend. A part that the deployment does not have is missing.
   */
  readonly heads: {
    readonly service: readonly number[];
    readonly postgres?: readonly number[] | undefined;
    readonly proxy?: readonly number[] | undefined;
  };
  /** Whether the load of another deployment has warmed its process. */
  readonly isWarm?: boolean;
}

/** Starts the deployments that are wanted and that this machine can run. */
export async function startDeployments(
  session: Session,
  cleanup: Scope,
  wanted: readonly DeploymentName[],
): Promise<Deployment[]> {
  const { missing, postgres, tokens } = session;
  const database = await BenchDatabase.create(postgres, tokens);
  const first = await Server.start(cleanup, service.command, database.url);
  const heads = { service: pidsOf(first), postgres: await postmasterOf(postgres) };
  const alone: Deployment = { name: 'alone', title: 'one process', address: first.address, database, heads };
  const all: Deployment[] = [alone];
  if (wanted.includes('balanced')) {
    if (existsSync(haproxyProgram)) all.push(...(await balanced(cleanup, alone)));
    else addOnce(missing, 'haproxy: It is not on this machine (Debian: haproxy).');
  }
  return all.filter(({ name }) => wanted.includes(name));
}

async function balanced(cleanup: Scope, { address, database, heads }: Deployment): Promise<Deployment[]> {
  const second = await Server.start(cleanup, service.command, database.url);
  const behindOne = await startHaproxy(cleanup, [portOf(address)]);
  const behindTwo = await startHaproxy(cleanup, [address, second.address].map(portOf));
  const common = ({ port, pid }: { readonly port: number; readonly pid: number | undefined }) => ({
    address: `http://127.0.0.1:${port}`,
    database,
    heads: { ...heads, proxy: pid === undefined ? [] : [pid] },
  });
  const both = { ...common(behindTwo).heads, service: [...heads.service, ...pidsOf(second)] };
  return [
    { name: 'balanced', title: 'one process behind HAProxy', ...common(behindOne), isWarm: true },
    { name: 'balanced-2', title: 'two processes behind HAProxy', ...common(behindTwo), heads: both },
  ];
}

/** Each measure starts the deployments anew, and finds the same programs missing. */
function addOnce(missing: string[], sentence: string): void {
  if (!missing.includes(sentence)) missing.push(sentence);
}

function pidsOf({ pid }: Server): number[] {
  return pid === undefined ? [] : [pid];
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

/** @returns the first process of PostgreSQL; undefined if it is on another machine */
async function postmasterOf(postgres: Postgres): Promise<number[] | undefined> {
  const pid = await postgres.postmaster();
  return pid === undefined ? undefined : [pid];
}
