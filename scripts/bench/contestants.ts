import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import type { Cleanup } from './cleanup.js';
import type { Load } from './load.js';
import type { Tools } from './machine.js';
import { run } from './programs.js';
import type { Command } from './server.js';

/** A program that serves plants over HTTP. */
export interface Contestant {
  readonly name: string;
  readonly title: string;
  readonly command: Command;
  /** How many connections to PostgreSQL suit it, where it does not know by itself. */
  readonly pool?: Readonly<Record<Load['kind'], number>>;
}

/** What is said of somebody who cannot take part. */
export interface Missing {
  readonly name: string;
  readonly missing: string;
}

const here = join('scripts', 'bench', 'contestants');
/**
 * Of 8, 16, 32 and 64 connections, the quickest for each kind of load on two cores: commits that wait for
 * the disk together share its flush, while reads have no use for more than a few.
 */
const goPool = { create: 64, delete: 64, page: 16 };

/** The service as `npm start` runs it: the first, which the others are compared with. */
export const service: Contestant = {
  name: 'plant-store',
  title: 'plant store',
  command: { file: process.execPath, parameters: ['--enable-source-maps', join('dist', 'src', 'main.js')] },
};

const nodeContestants: readonly Contestant[] = [
  inNode('ceiling', 'the same, with a store that does nothing'),
  inNode('fastify-by-hand', 'Fastify + pg by hand'),
  inNode('fastify-glue', 'fastify-openapi-glue + pg'),
  inNode('express-validator', 'express + express-openapi-validator + pg'),
];

function inNode(name: string, title: string): Contestant {
  const program = join('dist', here, `${name}.js`);
  return { name, title, command: { file: process.execPath, parameters: ['--enable-source-maps', program] } };
}

/** All who can take part in something, be they on this machine or not. */
export const contestantNames = [service, ...nodeContestants]
  .map(({ name }) => name)
  .concat('go', 'pgbench', 'copy');

/** Compiles all contestants, and says who is missing. */
export async function buildContestants(
  cleanup: Cleanup,
  tools: Tools,
  folder: string,
): Promise<(Contestant | Missing)[]> {
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(cleanup, process.execPath, [compiler, '--project', 'tsconfig.bench.json'], {
    cwd: projectFolder,
    timeout: 120_000,
  });
  return [service, ...nodeContestants, await buildGo(cleanup, tools, folder)];
}

/** Debian's golang-github-jackc-pgx-v4-dev keeps the sources of its packages here. */
const debianSources = '/usr/share/gocode';

async function buildGo(cleanup: Cleanup, { go }: Tools, folder: string): Promise<Contestant | Missing> {
  const name = 'go';
  if (go === undefined) return { name, missing: 'Go is not on this machine (Debian: golang-go).' };
  const program = join(folder, 'go-plants');
  try {
    await run(cleanup, go, ['build', '-o', program, '.'], {
      cwd: join(projectFolder, here, 'go'),
      env: { GO111MODULE: 'off', GOPATH: debianSources, GOFLAGS: '' },
      timeout: 300_000,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, missing: `It does not compile (Debian: golang-github-jackc-pgx-v4-dev). ${reason}` };
  }
  return { name, title: "Go's net/http + pgx", command: { file: program, parameters: [] }, pool: goPool };
}
