import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { makeLog } from '../../../../src/log/log.js';
import { check } from '../../check/check.js';
import { readRules } from '../../check/document/rules.js';
import { readDocument } from '../../document/read-document.js';
import { readMockable } from '../../mock/any-contract.js';
import { buildMock } from '../../mock/app.js';

/** That a stateful mock of the two strange contracts keeps them, also what they promise in prose. */

// Each takes ten seconds on an idle machine.
t.setTimeout(600_000);

const contracts = join(import.meta.dirname, '..', '..', 'faults', 'contracts');
const [first, second] = ['ann:first-secret-of-a-test', 'bob:other-secret-of-a-test'];

for (const name of ['repairs', 'exhibits'])
  t.test(`the stateful mock of ${name} passes its own check`, async (t) => {
    const file = join(contracts, `${name}.yaml`);
    const { contract, isOwn, leftOut } = await readMockable(file);
    const examples: string[] = [];
    const app = await buildMock({
      ...{ contract, log: makeLog('silent'), stateful: true, documentedFailures: !isOwn },
      credentials: [first, second],
      onReady: (_kept, answered) => void examples.push(...answered),
    });
    t.teardown(() => app.close());
    t.strictSame([leftOut, examples], [[], []], 'it does all of it');
    const report = await check({
      document: readDocument(await readFile(file, 'utf8'), file),
      rules: await readRules(file),
      url: new URL(await app.listen({ port: 0, host: '127.0.0.1' })),
      token: { text: first, shell: '$TOKEN' },
      otherToken: { text: second, shell: '$OTHER_TOKEN' },
      seed: 1,
      cases: 20,
    });
    t.strictSame(
      report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`),
      [],
    );
    t.strictSame(report.unreached, [], 'each operation answered a success');
  });
