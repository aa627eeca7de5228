import { readFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { contractFile } from '../../../kit/index.js';
import type { TypeFault } from '../../src/dev/type-checker.js';
import { startSaving } from './saves.js';

/** The type errors in a verdict of `npm run dev`. */

function faultsIn(folder: string, count: number): TypeFault[] {
  return Array.from({ length: count }, (_, line) => ({
    place: `${folder}/file.ts:${line + 1}:1`,
    sentence: 'It does not fit.',
    folder,
    ofService: folder === 'src',
  }));
}

/** The verdicts on the contract and on the whole project. */
async function verdictsOn(t: Test, faults: readonly TypeFault[]) {
  const { save, workbench } = await startSaving(t, () => ({
    checker: { checkUsers: () => [...faults], checkAll: async () => [...faults] },
  }));
  const onContract = await save(await readFile(contractFile, 'utf8'));
  const verdicts = [onContract, await workbench.judgeSources(() => false)];
  return verdicts.map((verdict) => ({
    ...verdict,
    types: verdict?.details.filter((line) => line.startsWith('type ')),
  }));
}

t.test('errors of the server come last, and those of tests and tools are counted', async (t) => {
  const faults = [...faultsIn('scripts', 2), ...faultsIn('src', 2), ...faultsIn('test', 49)];
  for (const { types, summary, runs } of await verdictsOn(t, faults)) {
    t.strictSame(types, [
      'type       scripts/file.ts:1:1 It does not fit.',
      'type       scripts/file.ts:2:1 It does not fit.',
      'type       test/file.ts:1:1 It does not fit.',
      'type       48 more in test/: npm run types',
      'type       src/file.ts:1:1 It does not fit.',
      'type       src/file.ts:2:1 It does not fit.',
    ]);
    t.match(summary, '53 type errors');
    t.equal(runs, false);
  }
});

t.test('a few errors of tests are all listed, and let the server run', async (t) => {
  for (const { types, runs } of await verdictsOn(t, faultsIn('test', 3))) {
    t.equal(types?.length, 3);
    t.notMatch(types?.join('\n'), 'npm run types');
    t.equal(runs, true);
  }
});
