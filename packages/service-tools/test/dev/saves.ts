/** Saves contracts as one who edits them does, and gets the verdicts of `npm run dev` on them. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makeFolder } from '../../../kit/testing.js';
import { type Verdict, Workbench } from '../../src/dev/workbench.js';

type ServiceDefinition = ConstructorParameters<typeof Workbench>[0];

/**
 * Opens a workbench on a file outside any repository. Its linter and its checker find nothing, and it compares with
 * no commit, unless the test has other parts.
 *
 * @param serviceOf makes those, for the file of the contract
 */
export async function startSaving(
  t: Test,
  serviceOf: (contract: string) => Partial<ServiceDefinition> = () => ({}),
) {
  const folder = await makeFolder(t);
  const contract = join(folder, 'plants.yaml');
  const workbench = new Workbench({
    contract,
    generated: folder,
    committed: { read: async () => 'not compared' },
    linter: { lint: async () => [] },
    checker: { checkUsers: () => [], checkAll: async () => [] },
    ...serviceOf(contract),
  });
  const save = async (text: string): Promise<Verdict> => {
    await writeFile(contract, text);
    return workbench.judgeContract();
  };
  return { folder, contract, workbench, save };
}

/** Runs git in a folder, whatever the settings of the user. */
export function gitIn(folder: string) {
  const git = (...parameters: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...parameters], {
      cwd: folder,
    });
  return {
    init: () => git('init', '--quiet', '--initial-branch=main'),
    /** Commits what this path has. */
    commit: (path: string) => {
      git('add', path);
      git('commit', '--quiet', '--no-gpg-sign', '--message=contract');
    },
  };
}
