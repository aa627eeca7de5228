import t from 'tap';
import {
  describe,
  fallen,
  guardedRatios,
  judge,
  readRuns,
  roundsAgain,
  suspects,
  together,
} from '../../scripts/lab/bench/guard.js';
import type { Measured } from '../../scripts/lab/bench/results.js';

const recorded = { a: 4, b: 4, c: 4, d: 4, e: 4 };
const run = { taken: 'never', ratios: recorded };

t.test('the benchmark guard fails if a ratio fell by a quarter, and only then', async (t) => {
  const verdicts = judge([run], { a: [3], b: [3.01], c: [9], d: [3.39, 3.45] });
  t.strictSame(fallen(verdicts), ['a']);
  t.strictSame(suspects(verdicts), ['a', 'b'], 'what may have fallen is measured again');
  t.match(verdicts.map(describe), [
    /^fell +a ÷ fastify-by-hand-bare: recorded 4.00, now 3.00 \(-25 %\)/,
    /^holds +b .* now 3.01 \(-25 %\)/,
    /^holds +c .* now 9.00 \(\+125 %\)/,
    /^holds +d .* now 3.42 \(-15 %\)/,
    /^not measured here +e ÷ fastify-by-hand-bare: recorded 4.00$/,
  ]);
});

t.test('the benchmark guard judges by the median of all rounds', async (t) => {
  const all = together({ a: [2, 2], b: [4, 4] }, { a: [4, 4, 4, 4] });
  t.strictSame(all, { a: [2, 2, 4, 4, 4, 4], b: [4, 4] });
  t.strictSame(fallen(judge([run], all)), [], 'the machine was busy at first');
});

t.test('the lowest of the recorded runs counts', async (t) => {
  const runs = [8, 3, 4].map((a) => ({ ...run, ratios: { a } }));
  t.match(judge(runs, { a: [2.6] }), [{ recorded: 3, outcome: 'holds' }]);
  t.match(judge(runs, { a: [2.25] }), [{ recorded: 3, outcome: 'fell' }]);
});

t.test('what is suspect is measured again for as long as there is time, and once in any case', async (t) => {
  t.strictSame(
    [1, 4, 6, 9, 12].map((ratios) => roundsAgain(ratios, 68)),
    [4, 4, 2, 1, 1],
  );
  t.equal(roundsAgain(1, 150), 1);
});

t.test('the guarded ratios are those to Fastify by hand in the same round', async (t) => {
  const measured: Measured = {
    name: 'creates',
    title: 'Creates',
    unit: 'per second',
    better: 'more',
    axis: 'connections',
    series: [
      { name: 'plant-store', title: '', at: 4, values: [100, 300] },
      { name: 'fastify-by-hand-bare', title: '', at: 4, values: [100, 100] },
      { name: 'plant-store', title: '', at: 64, values: [100, 300] },
      { name: 'plant-store', title: '', at: 1_000, values: [100, 300], disturbed: [1] },
      { name: 'fastify-by-hand-bare', title: '', at: 1_000, values: [100, 100], disturbed: [0] },
    ],
  };
  const ratios = guardedRatios([measured]);
  t.strictSame(ratios, { 'creates with 4': [1, 3], 'creates with 1000': [] });
  const [verdict] = judge([{ ...run, ratios: { 'creates with 1000': 9 } }], ratios);
  t.match(verdict && describe(verdict), /^disturbed here +creates with 1000 ÷/);
  t.match(verdict && suspects([verdict]), ['creates with 1000'], 'it is measured again');
  t.match(verdict && fallen([verdict]), [], 'the machine is to blame');
});

t.test('the record has creates, deletes and lists with 1, 4, 64 and 1,000 connections', async (t) => {
  const runs = await readRuns();
  t.ok(runs.length >= 2, 'a single run may have been an odd one');
  const names = ['creates', 'deletes', 'pages'].flatMap((name) =>
    [1, 4, 64, 1_000].map((count) => `${name} with ${count}`),
  );
  for (const { ratios, taken } of runs) t.strictSame(Object.keys(ratios).sort(), names.sort(), taken);
});
