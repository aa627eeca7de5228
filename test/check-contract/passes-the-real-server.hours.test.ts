import t from 'tap';
import { check } from '../../packages/contract-tools/check.js';
import { noTokens, nothing, startFaultProxy } from '../../packages/contract-tools/faults.js';
import { readDocument } from '../../packages/contract-tools/index.js';
import { contractFile } from '../../packages/kit/index.js';
import { newPlantText } from '../../packages/service/test/support/plants.js';
import { startService } from '../../packages/service/test/support/service.js';
import { readContract } from '../../packages/service-tools/index.js';

// Each run takes two seconds on an idle machine, and ten on a busy one.
t.setTimeout(600_000);

const contract = await readContract(contractFile);
const service = await startService(t);
const otherToken = { text: await service.tokens.issue('other'), shell: '$PLANTS_OTHER_TOKEN' };
const token = { text: service.token, shell: '$PLANTS_TOKEN' };
const url = new URL(service.address);
/** Findings as text, for a readable failure. */
const found = ({ findings }: Awaited<ReturnType<typeof check>>): string[] =>
  findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);

for (const seed of [1, 2, 3, 4, 5]) {
  t.test(`check:contract passes the real server, seed ${seed}`, async (t) => {
    const report = await check({
      document: readDocument(contract.text, contract.file),
      url,
      token,
      otherToken,
      seed,
    });
    t.same(found(report), []);
    t.ok(report.cases > 500, 'and was tried');
    t.same((await service.call('GET', '/plants')).body, [], 'and nothing is left behind');
  });
}

t.test('check:contract passes the real server through the fault proxy without a fault', async (t) => {
  const proxy = await startFaultProxy(url, nothing.start(noTokens));
  t.teardown(() => proxy.close());
  t.same(
    found(
      await check({
        document: readDocument(contract.text, contract.file),
        url: proxy.url,
        token,
        otherToken,
        seed: 1,
      }),
    ),
    [],
  );
});

t.test('check:contract leaves the plants of others alone, also at the edges of int64', async (t) => {
  const ids = ['-9223372036854775808', '-1', '0', '1', '7', '9007199254740993', '9223372036854775807'];
  for (const id of ids)
    await service.call('POST', '/plants', { body: newPlantText(`{"id":${id},"name":"of others ${id}"}`) });
  const before = await service.call('GET', '/plants');
  t.same(
    found(
      await check({ document: readDocument(contract.text, contract.file), url, token, otherToken, seed: 1 }),
    ),
    [],
  );
  t.equal((await service.call('GET', '/plants')).text, before.text);
  for (const id of ids) t.equal((await service.call('DELETE', `/plants/${id}`)).status, 204);
});

t.test('check:contract passes while somebody else changes the same account', async (t) => {
  let busy = true;
  const somebody = async (): Promise<void> => {
    for (let id = 1; busy; id = (id % 50) + 1) {
      await service.call('POST', '/plants', { body: newPlantText(`{"id":${id},"name":"of somebody"}`) });
      await service.call('DELETE', `/plants/${((id + 25) % 50) + 1}`);
    }
  };
  const work = somebody();
  const report = await check({
    document: readDocument(contract.text, contract.file),
    url,
    token,
    otherToken,
    seed: 1,
  });
  busy = false;
  await work;
  t.same(found(report), []);
});

t.test('check:contract without a second owner tries the rest, and notes it', async (t) => {
  const report = await check({
    document: readDocument(contract.text, contract.file),
    url,
    token,
    seed: 1,
    cases: 10,
  });
  t.same(found(report), []);
  t.match(
    report.notes.join('\n'),
    /Isolation of .*CONTRACT_OTHER_TOKEN_BEARERAUTH \(an access token\), which is not set/,
  );
});
