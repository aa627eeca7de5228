import { join, resolve } from 'node:path';
import { projectFolder } from '../../../src/project.js';
import { run } from '../../kit/programs.js';
import type { Scope } from '../../kit/scope.js';
import type { Command } from '../../kit/server.js';
import { startCommand } from '../../kit/start-command.js';
import type { Tools } from './machine.js';
import type { Options } from './session.js';

/** A program that serves plants over HTTP. */
export interface Contestant {
  readonly name: string;
  readonly title: string;
  readonly command: Command;
}

/** The sentence about a contestant that cannot take part. */
export interface Missing {
  readonly name: string;
  readonly missing: string;
}

/** The name of the contestant that `--against` adds. */
const before = 'before';

const here = join('scripts', 'lab', 'bench', 'contestants');

/** The service as `npm start` runs it. It comes first, and the others are compared with it. */
export const service: Contestant = {
  name: 'plant-store',
  title: 'plant store',
  command: startCommand,
};

const nodeContestants: readonly Contestant[] = [
  nodeContestant('fastify-by-hand', 'Fastify + pg by hand'),
  nodeContestant('fastify-by-hand-bare', 'Fastify + pg by hand, bare'),
];

function nodeContestant(name: string, title: string): Contestant {
  const program = join('dist', here, `${name}.js`);
  return { name, title, command: { file: process.execPath, parameters: ['--enable-source-maps', program] } };
}

const goContestants = [
  { name: 'go', title: "Go's net/http + pgx" },
  { name: 'go-bare', title: "Go's net/http + pgx, bare" },
];

/** All contestants, whether this machine can run them or not. */
export const contestantNames = [service, ...nodeContestants, ...goContestants]
  .map(({ name }) => name)
  .concat(before, 'copy');

/** The peers do the same work (contestants/README.md). */
export const serviceAndPeers = [service.name, before, 'fastify-by-hand', 'go'];
/** The bare peers do less: they log nothing, and set no request id and none of the service's headers. */
export const barePeers = ['fastify-by-hand-bare', 'go-bare'];
/** The contestants on the same runtime. */
export const serviceAndByHand = [service.name, before, 'fastify-by-hand'];

/** Compiles the contestants that are asked for, and lists those that this machine cannot run. */
export async function buildContestants(
  cleanup: Scope,
  tools: Tools,
  folder: string,
  { wants, against }: Pick<Options, 'wants' | 'against'>,
): Promise<(Contestant | Missing)[]> {
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(cleanup, process.execPath, [compiler, '--project', 'tsconfig.bench.json'], {
    cwd: projectFolder,
    timeoutMs: 120_000,
  });
  const inNode = [service, ...nodeContestants].filter(({ name }) => wants(name));
  const inGo: (Contestant | Missing)[] = [];
  for (const one of goContestants) {
    if (wants(one.name)) inGo.push(await buildGo(cleanup, tools, folder, one));
  }
  return [...inNode, ...(against === undefined ? [] : [buildOf(against)]), ...inGo];
}

/** The service of another checkout, which was built there, to compare two versions of the code in turn. */
function buildOf(folder: string): Contestant {
  const parameters = service.command.parameters.map((one) =>
    one.startsWith('dist/') ? resolve(folder, one) : one,
  );
  return { name: before, title: 'the other build', command: { file: process.execPath, parameters } };
}

/** The folder in which Debian's golang-github-jackc-pgx-v4-dev puts the sources of its packages. */
const debianSources = '/usr/share/gocode';

export async function buildGo(
  cleanup: Scope,
  { go }: Tools,
  folder: string,
  { name, title }: Pick<Contestant, 'name' | 'title'>,
): Promise<Contestant | Missing> {
  if (go === undefined) return { name, missing: 'Go is not on this machine (Debian: golang-go).' };
  const program = join(folder, `${name}-plants`);
  try {
    await run(cleanup, go, ['build', '-o', program, '.'], {
      cwd: join(projectFolder, here, name),
      env: { GO111MODULE: 'off', GOPATH: debianSources, GOFLAGS: '' },
      timeoutMs: 300_000,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, missing: `It does not compile (Debian: golang-github-jackc-pgx-v4-dev). ${reason}` };
  }
  return { name, title, command: { file: program, parameters: [] } };
}
