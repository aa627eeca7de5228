import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Problem } from '../../scripts/contract/lint/problem.js';
import { missing } from '../../scripts/contract/test/support/missing.js';
import { Committed } from '../../scripts/dev/committed.js';
import { Workbench } from '../../scripts/dev/workbench.js';
import { contractFile } from '../../src/project.js';
import { makeFolder } from '../support/programs/process.js';

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
    const folder = await makeFolder(t);
    const [contract, types] = [join(folder, 'plants.yaml'), join(folder, 'plants.ts')];
    const found = { types: [serverFault], lint: [lintProblem] };
    const workbench = new Workbench({
      contract,
      generated: folder,
      committed: new Committed(contract),
      linter: { lint: async () => found.lint },
      checker: { checkUsers: () => found.types, checkAll: async () => found.types },
    });
    const yaml = await readFile(contractFile, 'utf8');
    await writeFile(contract, yaml);
    for (const parameters of [
      ['init', '--quiet'],
      ['add', 'plants.yaml'],
      ['commit', '--quiet', '--no-gpg-sign', '--message=contract'],
    ])
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...parameters], {
        cwd: folder,
      });

    const stopped = await workbench.judgeContract();
    t.match(stopped, { runs: false, changed: true, summary: /no changes since HEAD; 1 type error/ });
    t.match(stopped.details.join('\n'), /redocly\/struct It is broken\.\n.*It does not compile\./);
    t.match(await readFile(types, 'utf8'), 'PlantId: bigint;');

    found.types = [];
    found.lint = [];
    await writeFile(contract, yaml.replace('maxLength: 255', 'maxLength: 200'));
    const narrower = await workbench.judgeContract();
    t.match(narrower, {
      runs: true,
      changed: true,
      summary: /, [1-9] breaking since HEAD; raise the major version/,
    });
    t.match(narrower.details.join('\n'), /^breaking .*maxLength 255 → 200\.$/m);

    const last = '          example: climber\n';
    await writeFile(contract, yaml.replace(last, `${last}        girth: { type: string, maxLength: 9 }\n`));
    t.match(await workbench.judgeContract(), {
      runs: true,
      changed: true,
      summary: /none breaking since HEAD; raise the minor version/,
    });

    await writeFile(contract, yaml.replace('operationId: listPlants', 'operationId'));
    t.match(await workbench.judgeContract(), { runs: false, changed: true });
  },
);
