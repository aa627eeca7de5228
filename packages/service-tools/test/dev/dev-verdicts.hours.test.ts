import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { contractFile } from '../../../kit/index.js';
import { missing } from '../../../kit/testing.js';
import { Committed } from '../../src/dev/committed.js';
import type { Verdict } from '../../src/dev/workbench.js';
import { lintOwnContract } from '../../src/lint/own-contract.js';
import { gitIn, startSaving } from './saves.js';

/** The verdicts of `npm run dev` on a series of saves. */

t.setTimeout(300_000);

const yaml = readFileSync(contractFile, 'utf8');

/** Saves with the linters of the project, compared with what is committed. */
const savesOf = async (t: Test) => {
  const saves = await startSaving(t, (contract) => ({
    committed: new Committed(contract),
    linter: { lint: lintOwnContract },
  }));
  return { ...saves, git: gitIn(saves.folder) };
};

const described = (word: string) => yaml.replace('Deletes one plant', `Deletes ${word} plant`);
const narrowed = (text: string) => text.replace('maxLength: 255', 'maxLength: 200');

t.test('dev compares a save with the save before and with HEAD', { skip: missing('git') }, async (t) => {
  const { save, git } = await savesOf(t);
  const sayings = ({ summary }: Verdict) => summary.split('; no type errors')[0];
  const reasons = ({ details }: Verdict) => details.filter((line) => line.startsWith('not compared'));

  const first = await save(yaml);
  t.match(first.summary, /^no type errors/, 'there is nothing to compare with');
  t.match(first.details, [/^not compared with HEAD of git: fatal: not a git repository/]);
  t.strictSame(reasons(await save(described('a'))), [], 'said once');
  git.init();
  t.match(reasons(await save(yaml)), [/^not compared with HEAD of git: fatal: /], 'another reason');
  t.strictSame(reasons(await save(described('a'))), []);

  await save(yaml);
  git.commit('plants.yaml');
  const breaking = await save(narrowed(yaml));
  const place = /[^ ]*plants\.yaml:9:12/;
  t.match(sayings(breaking), new RegExp(`breaking since HEAD; raise the major version: ${place.source}$`));
  t.notOk(
    breaking.details.some((line) => line.startsWith('since HEAD')),
    'what this save broke is said once',
  );
  const compatible = await save(narrowed(described('a')));
  t.match(sayings(compatible), /^1 change, none breaking since the last save; \d changes, \d breaking since/);
  t.match(
    compatible.details.filter((line) => line.startsWith('since HEAD')).join('\n'),
    /^since HEAD \S*plants\.yaml:\d+:\d+ POST \/plants: .*255 → 200.* \(breaking\)$/m,
  );
  const undone = await save(yaml);
  t.match(sayings(undone), /^\d changes, \d breaking since the last save; no changes since HEAD$/);

  await save(narrowed(yaml));
  git.commit('plants.yaml');
  t.match(
    sayings(await save(narrowed(described('a')))),
    /since the last save; 1 change, none breaking since HEAD; raise the patch version: \S*plants\.yaml:9:12$/,
    'the version that diff:contract will ask for, although nothing breaks',
  );
  const raised = narrowed(described('a')).replace('version: 1.0.0', 'version: 1.0.1');
  t.match(sayings(await save(raised)), /none breaking since HEAD$/);
});

t.test('dev says why it cannot compare a contract with HEAD', { skip: missing('git') }, async (t) => {
  const { save, git } = await savesOf(t);
  git.init();
  await save('openapi: 3.0.3\n');
  git.commit('plants.yaml');
  const { details } = await save(yaml);
  t.match(details, [/^not compared with HEAD of git: HEAD:\S*plants\.yaml:1:1: "info" is missing/]);
});

t.test('dev reports a missing contract as a fault, and recovers when the file is back', async (t) => {
  const { contract, workbench, save } = await savesOf(t);
  await save(yaml);
  await rm(contract);
  t.match(await workbench.judgeContract(), { runs: false, summary: /^the file cannot be read; nothing is/ });
  t.equal((await workbench.judgeSources(() => false))?.runs, false);
  t.match(await save(yaml), { runs: true, summary: /^no changes since the last save;/ });
  t.equal((await workbench.judgeSources(() => false))?.runs, true);
});

/** Edits that remove the protection of operations, and the line to blame in the new or in the old text. */
const unprotected: readonly [
  name: string,
  from: string,
  to: string,
  at: string,
  said: RegExp,
  where?: 'old',
][] = [
  [
    'the security of the document removed',
    'security:\n  - bearerAuth: []\n\n',
    '',
    'security:\n  - ',
    /Every operation should have security/,
    'old',
  ],
  [
    'the security of the document emptied',
    'security:\n  - bearerAuth: []\n',
    'security: []\n',
    'security: []',
    /needs bearer authentication/,
  ],
  [
    'the security of the document made optional',
    '  - bearerAuth: []\n',
    '  - {}\n',
    '  - {}\n',
    /A security requirement without a scheme lets everybody in/,
  ],
  [
    'the security of one operation emptied',
    '      operationId: deletePlant\n',
    '      operationId: deletePlant\n      security: []\n',
    '      security: []',
    /needs bearer authentication/,
  ],
  [
    'the scheme renamed where it is defined',
    '    bearerAuth:\n',
    '    apiToken:\n',
    '    apiToken:\n',
    /There is no `bearerAuth` security scheme defined/,
  ],
  [
    'the scheme renamed where it is asked for',
    '  - bearerAuth: []\n',
    '  - apiToken: []\n',
    '  - apiToken: []\n',
    /There is no `apiToken` security scheme defined/,
  ],
];

t.test('dev reports lost protection once, at the line that was edited', async (t) => {
  for (const [name, from, to, at, said, where] of unprotected) {
    const { contract, save } = await savesOf(t);
    await save(yaml);
    const next = yaml.replace(from, to);
    const line = (where === 'old' ? yaml : next).split(at)[0]?.split('\n').length;
    const lintOf = ({ details }: Verdict) => details.filter((detail) => detail.startsWith('lint '));
    const blamed = lintOf(await save(next));
    t.equal(blamed.length, 1, name, { blamed });
    t.match(blamed[0], new RegExp(`plants\\.yaml:${line}:\\d+ error .*`), name);
    t.match(blamed[0], said, name);
    t.strictSame(
      lintOf(await save(next.replace('Deletes one', 'Deletes a'))),
      blamed,
      `${contract}: another edit`,
    );
    t.strictSame(lintOf(await save(yaml)), [], 'undone');
  }
});
