import { readFile } from 'node:fs/promises';
import t from 'tap';
import { gardenService } from '../../../../examples/gardens/garden-service.js';
import { plantStore } from '../../../../src/plant-store.js';
import { check } from '../../../contract-tools/check.js';
import { readDocument } from '../../../contract-tools/index.js';
import { resourcesOf } from '../support/resources.js';
import { startService } from '../support/service.js';

/** Runs what `npm run check:contract` runs. test/check-contract/ shows what it finds in broken servers. */

for (const { service, parts, cases } of [
  { service: 'the plant store', parts: plantStore, cases: 100 },
  { service: 'the gardens', parts: gardenService, cases: 20 },
]) {
  t.test(`${service} passes check:contract`, async (t) => {
    const { address, token, tokens, call } = await startService(t, { parts });
    const { file } = await parts.readContract();
    const report = await check({
      document: readDocument(await readFile(file, 'utf8'), file),
      url: new URL(address),
      token: { text: token, shell: '$PLANTS_TOKEN' },
      otherToken: { text: await tokens.issue('other'), shell: '$PLANTS_OTHER_TOKEN' },
      seed: 6,
      cases,
    });
    t.same(
      report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`),
      [],
    );
    t.ok(report.cases > 500, `${report.cases} cases`);
    for (const { path } of await resourcesOf(parts))
      t.same((await call('GET', path)).body, [], `nothing is left behind in ${path}`);
  });
}
