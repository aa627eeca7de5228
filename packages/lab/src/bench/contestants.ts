/**
 * The programs that are measured beside each other: builds them, and says what this machine lacks to run the
 * others.
 */
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import type { Scope } from '../../../contract-tools/base.js';
import {
  type Command,
  compile,
  projectFolder,
  run,
  startCommand,
  startCommandOf,
} from '../../../kit/index.js';

/** A program that serves plants over HTTP. */
export interface Contestant {
  readonly name: string;
  readonly title: string;
  readonly command: Command;
}

/** A contestant that cannot take part, with the reason. */
interface Missing {
  readonly name: string;
  readonly missing: string;
}

const here = join('packages', 'lab', 'src', 'bench', 'contestants');

/** The service as `npm start` runs it. It comes first, and the others are compared with it. */
export const service: Contestant = { name: 'plant-store', title: 'plant store', command: startCommand };
/** The name of another build of the service, with which `--against` and the guard compare. */
export const before = 'before';
/** The peers of the same work (contestants/README.md). */
export const byHand = 'fastify-by-hand';
const go = 'go';
export const contestantNames = [service.name, before, byHand, go];

const inNode: Contestant = {
  name: byHand,
  title: 'Fastify by hand, same work',
  command: {
    file: process.execPath,
    parameters: ['--enable-source-maps', join('dist', here, `${byHand}.js`)],
  },
};

/**
 * Compiles the contestants of these names.
 *
 * @param against the folder of another checkout, in which its build is
 * @param folder the folder for programs that are compiled here
 * @returns those that this machine can run, and sentences about the others
 * @throws {ProgramError} if the service, or a contestant in TypeScript, does not compile
 */
export async function buildContestants(
  cleanup: Scope,
  folder: string,
  names: readonly string[],
  against: string | undefined,
): Promise<{ contestants: Contestant[]; missing: string[] }> {
  await compile(cleanup, 'tsconfig.bench.json');
  const all: (Contestant | Missing)[] = [
    service,
    ...(against === undefined ? [] : [buildIn(against)]),
    inNode,
  ];
  if (names.includes(go)) all.push(await buildGo(cleanup, folder));
  const asked = all.filter(({ name }) => names.includes(name));
  return {
    contestants: asked.filter((one): one is Contestant => 'command' in one),
    missing: asked.flatMap((one) => ('missing' in one ? `${one.name}: ${one.missing}` : [])),
  };
}

/** The service of another checkout, to compare two versions of the code in turn. */
function buildIn(folder: string): Contestant {
  return { name: before, title: 'the other build', command: startCommandOf(resolve(folder)) };
}

/** The folder in which Debian's golang-github-jackc-pgx-v4-dev puts the sources of its packages. */
const debianSources = '/usr/share/gocode';

/** Compiles a contestant in Go, if that is possible on this machine. */
export async function buildGo(cleanup: Scope, folder: string): Promise<Contestant | Missing> {
  const name = go;
  const compiler = await findTool('go');
  if (compiler === undefined) return { name, missing: 'Go is not on this machine (Debian: golang-go).' };
  const program = join(folder, `${name}-plants`);
  try {
    await run(cleanup, compiler, ['build', '-o', program, '.'], {
      cwd: join(projectFolder, here, name),
      env: { GO111MODULE: 'off', GOPATH: debianSources, GOFLAGS: '' },
      timeoutMs: 300_000,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, missing: `It does not compile (Debian: golang-github-jackc-pgx-v4-dev). ${reason}` };
  }
  return { name, title: 'Go, same work', command: { file: program, parameters: [] } };
}

/** @returns the path of a program; undefined if it is not on this machine */
export async function findTool(name: string): Promise<string | undefined> {
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...(await postgresFolders())]) {
    const file = join(folder, name);
    if (folder !== '' && (await isProgram(file))) return file;
  }
  return undefined;
}

/** Debian keeps PostgreSQL's programs out of the PATH. The newest version comes first. */
async function postgresFolders(): Promise<string[]> {
  const folder = '/usr/lib/postgresql';
  const versions = await readdir(folder).catch(() => []);
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(folder, version, 'bin'));
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
