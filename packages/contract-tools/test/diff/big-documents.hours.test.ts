import t from 'tap';
import { compareContracts } from '../../src/diff/compare.js';
import { readDocument } from '../../src/document/read-document.js';
import { bigDocument } from '../support/big-document.js';

// Slow machines get more time.
t.setTimeout(600_000);

/** The CPU time in seconds of reading and comparing two documents that differ in a schema that all share. */
function costOf(paths: number): number {
  const [old, now] = [100, 90].map((maxLength) => bigDocument(paths, { maxLength }));
  if (old === undefined || now === undefined) throw new Error('Two documents.');
  const before = process.cpuUsage();
  const changes = compareContracts(readDocument(old, 'old.yaml'), readDocument(now, 'new.yaml'));
  const { user, system } = process.cpuUsage(before);
  t.equal(new Set(changes.map(({ operation }) => operation)).size, (paths / 2) * 5, `${paths} paths`);
  return (user + system) / 1e6;
}

t.test(
  'the cost of a comparison grows with the size of the documents, and not with its square',
  async (t) => {
    costOf(40);
    const [one, two, four] = [costOf(80), costOf(160), costOf(320)];
    t.ok(two < 3 * one, `twice the paths cost ${(two / one).toFixed(1)} times as much`);
    t.ok(four < 7 * one, `four times the paths cost ${(four / one).toFixed(1)} times as much`);
  },
);
