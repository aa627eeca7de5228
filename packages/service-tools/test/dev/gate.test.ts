import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Problem } from '../../../contract-tools/lint.js';
import { contractFile } from '../../../kit/index.js';
import { missing } from '../../../kit/testing.js';
import { Committed } from '../../src/dev/committed.js';
import { gitIn, startSaving } from './saves.js';

/** That `npm run dev` judges a save. dev-verdicts.hours.test.ts has more saves, and dev.hours.test.ts the server. */

const serverFault = {
  place: 'src/a.ts:1:1',
  sentence: 'It does not compile.',
  folder: 'src',
  ofService: true,
};
const lintProblem: Problem = {
  file: 'plants.yaml',
  line: 1,
  column: 1,
  severity: 'error',
  rule: 'redocly/struct',
  message: 'It is broken.',
};

t.test(
  'dev says of a save what it breaks, and whether a server would start',
  { skip: missing('git') },
  async (t) => {
    const found = { types: [serverFault], lint: [lintProblem] };
    const { folder, save, workbench } = await startSaving(t, (contract) => ({
      committed: new Committed(contract),
      linter: { lint: async () => found.lint },
      checker: { checkUsers: () => found.types, checkAll: async () => found.types },
    }));
    const yaml = await readFile(contractFile, 'utf8');
    await writeFile(join(folder, 'plants.yaml'), yaml);
    const git = gitIn(folder);
    git.init();
    git.commit('plants.yaml');

    const stopped = await workbench.judgeContract();
    t.match(stopped, { runs: false, changed: true, summary: /no changes since HEAD; 1 type error/ });
    t.match(stopped.details.join('\n'), /redocly\/struct It is broken\.\n.*It does not compile\./);
    t.match(await readFile(join(folder, 'plants.ts'), 'utf8'), 'PlantId: bigint;');

    found.types = [];
    found.lint = [];
    const narrower = await save(yaml.replace('maxLength: 255', 'maxLength: 200'));
    t.match(narrower, {
      runs: true,
      changed: true,
      summary: /, [1-9] breaking since HEAD; raise the major version/,
    });
    t.match(narrower.details.join('\n'), /^breaking .*maxLength 255 → 200\.$/m);

    const last = '          example: climber\n';
    const wider = yaml.replace(last, `${last}        girth: { type: string, maxLength: 9 }\n`);
    t.match(await save(wider), {
      runs: true,
      changed: true,
      summary: /none breaking since HEAD; raise the minor version/,
    });

    t.notMatch((await save(wider)).details.join('\n'), 'rename?');
    const renamed = (await save(yaml.replace('        tag:\n', '        label:\n'))).details;
    t.match(
      renamed.filter((line) => line.startsWith('rename?')),
      [/^rename\? {4}If "tag" is called "label" now, .*docs\/changing-the-contract\.md#a-member/],
    );
    const two = wider.replace('        tag:\n', '        label:\n');
    t.notMatch((await save(two)).details.join('\n'), 'rename?', 'one of two new members is no guess');

    const broken = yaml.replace('operationId: listPlants', 'operationId');
    t.match(await save(broken), { runs: false, changed: true });
  },
);
