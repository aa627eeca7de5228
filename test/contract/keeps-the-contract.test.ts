import t from 'tap';
import { check } from '../../scripts/contract/check/check.js';
import { readContract } from '../../src/contract/document/document.js';
import { contractFile } from '../../src/project.js';
import { startService } from '../support/service.js';

/** Runs what `npm run check:contract` runs. test/check-contract/ shows what it finds in broken servers. */
t.test('the service passes check:contract', async (t) => {
  const { address, token, tokens, call } = await startService(t);
  const report = await check({
    contract: await readContract(contractFile),
    url: new URL(address),
    token: { text: token, shell: '$PLANTS_TOKEN' },
    otherToken: { text: await tokens.issue('other'), shell: '$PLANTS_OTHER_TOKEN' },
    seed: 6,
  });
  t.same(
    report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`),
    [],
  );
  t.ok(report.cases > 1_000, `${report.cases} cases`);
  t.same((await call('GET', '/plants')).body, [], 'and nothing is left behind');
});
