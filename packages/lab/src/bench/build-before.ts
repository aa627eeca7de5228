/**
 * Builds the commit with which the guard compares. build-before.json names it: the newest one whose figures
 * somebody has looked at. A commit of its own moves it on.
 *
 * That file also names the figures that a change is meant to make cost more, each with its reason. They pass
 * for one landing: an entry that the build before already has in its own copy of the file counts no more.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress, Scope } from '../../../contract-tools/base.js';
import { makeFolder, ProgramError, projectFolder, run } from '../../../kit/index.js';

/** A figure of the guard, such as "creates with 64", and why it may cost more. */
export interface Exception {
  readonly figure: string;
  readonly reason: string;
}

interface BuildBefore {
  readonly commit: string;
  readonly meantToCostMore: readonly Exception[];
}

/** The path of the file in a checkout. */
const file = join('packages', 'lab', 'src', 'bench', 'build-before.json');
const timeoutMs = 600_000;

/** @returns the figures that may cost more than those of the build in `folder` */
export async function exceptionsAgainst(folder: string): Promise<readonly Exception[]> {
  const { meantToCostMore } = await readIn(projectFolder);
  // A build of another layout has no such file here, and so no entries.
  const landed = await readIn(folder).catch(() => undefined);
  return notLanded(meantToCostMore, landed?.meantToCostMore ?? []);
}

/** @returns the entries that the build before does not have */
export function notLanded(entries: readonly Exception[], landed: readonly Exception[]): readonly Exception[] {
  return entries.filter(
    ({ figure, reason }) => !landed.some((one) => one.figure === figure && one.reason === reason),
  );
}

/**
 * Builds the commit in a temporary folder, as `npm ci && npm start` would. It gets its own packages, because
 * links among those of this folder lead to today's code.
 *
 * @returns the folder
 * @throws {ProgramError} if git does not have the commit, or if it cannot be built
 */
export async function buildBefore(cleanup: Scope, progress: Progress): Promise<string> {
  const { commit } = await readIn(projectFolder);
  const folder = await makeFolder(cleanup);
  const archive = join(folder, 'archive.tar');
  const execute = (program: string, parameters: readonly string[], cwd: string) =>
    run(cleanup, program, parameters, { cwd, timeoutMs });
  await execute('git', ['archive', `--output=${archive}`, commit], projectFolder).catch((error: Error) => {
    throw new ProgramError(
      `The guard compares with the commit ${commit} (${file}), which git does not give. If this is a shallow ` +
        `clone, run "git fetch --unshallow". ${error.message}`,
    );
  });
  await execute('tar', ['-xf', archive], folder);
  progress.show('installing the packages of the build before');
  await execute('npm', ['ci', '--prefer-offline', '--no-audit', '--loglevel=error'], folder);
  progress.show('compiling the build before');
  await execute('npm', ['run', '--silent', 'build'], folder);
  progress.done(`Built ${commit.slice(0, 8)}, with which the guard compares`);
  return folder;
}

async function readIn(folder: string): Promise<BuildBefore> {
  return JSON.parse(await readFile(join(folder, file), 'utf8'));
}
