import { join } from 'node:path';
import t, { type Test } from 'tap';
import { bigDocument } from '../../contract-tools/test/support/big-document.js';
import { makeLog } from '../../service/layer.js';
import { readMockable } from '../src/any-contract.js';
import { buildMock } from '../src/app.js';

// Slow machines get more time.
t.setTimeout(600_000);

/** The CPU time in seconds of starting a mock of a document. */
async function costOf(t: Test, paths: number): Promise<number> {
  const file = join(t.testdir({ 'big.yaml': bigDocument(paths) }), 'big.yaml');
  const before = process.cpuUsage();
  const { contract, isOwn } = await readMockable(file);
  const app = await buildMock({
    ...{ contract, log: makeLog('silent'), documentedFailures: !isOwn },
  });
  await app.ready();
  const { user, system } = process.cpuUsage(before);
  t.equal(contract.operations.length, (paths / 2) * 5, `${paths} paths`);
  await app.close();
  return (user + system) / 1e6;
}

t.test('the cost of a start grows with the size of the document, and not with its square', async (t) => {
  await costOf(t, 20);
  const [one, two, four] = [await costOf(t, 40), await costOf(t, 80), await costOf(t, 160)];
  t.ok(two < 3 * one, `twice the paths cost ${(two / one).toFixed(1)} times as much`);
  t.ok(four < 7 * one, `four times the paths cost ${(four / one).toFixed(1)} times as much`);
});
