import t from 'tap';
import { Progress } from '../../scripts/kit/progress.js';
import { marginOf } from '../../scripts/lab/bench/goal.js';
import { goals } from '../../scripts/lab/bench/goals.js';
import { toMarkdown, toText } from '../../scripts/lab/bench/report.js';
import { joined, type Measured, type Results, ratiosOf } from '../../scripts/lab/bench/results.js';
import { inRounds } from '../../scripts/lab/bench/rounds.js';
import { ratios, summarize } from '../../scripts/lab/bench/statistics.js';
import { Strangers } from '../../scripts/lab/bench/strangers.js';

const creates: Measured = {
  name: 'creates',
  title: 'Creates per second',
  unit: 'per second',
  better: 'more',
  series: [
    { name: 'plant-store', title: 'plant store', values: [100, 300, 200] },
    { name: 'go', title: 'Go <pgx>', values: [100, 100, 80] },
  ],
};
const service = { name: 'plant-store', title: 'plant store' };
const results: Results = {
  title: 'Given figures',
  conditions: ['None of this was measured.'],
  runs: { creates: '3 rounds of nothing.' },
  missing: ['pgbench: It is not here.'],
  measured: [creates],
};

/** Creates with so many connections, as medians of one round. */
function withConnections(name: string, at: number, medians: Record<string, number>): Results {
  const series = Object.entries(medians).map(([name, value]) => ({ name, title: name, at, values: [value] }));
  return { ...results, measured: [{ ...creates, name, axis: 'connections', series }] };
}

function margin(name: string, of: Results): number | undefined {
  const goal = goals.find((one) => one.name === name);
  if (goal === undefined) throw new Error(`There is no goal "${name}".`);
  return marginOf(goal, of);
}

t.test('a benchmark figure is the median of its rounds, with the interquartile range', async (t) => {
  t.equal(summarize([]), undefined);
  t.strictSame(summarize([7]), { median: 7, low: 7, high: 7, rounds: 1 });
  t.strictSame(summarize([4, 1, 3, 2, 5]), { median: 3, low: 2, high: 4, rounds: 5 });
  t.strictSame(summarize([1, 2]), { median: 1.5, low: 1.25, high: 1.75, rounds: 2 });
});

t.test('a benchmark ratio is made of two figures of one round', async (t) => {
  t.strictSame(ratios([100, 300, 200], [100, 100, 80]), [1, 3, 2.5]);
  t.strictSame(ratiosOf(results, 'creates', 'plant-store', 'go'), [1, 3, 2.5]);
  t.strictSame(ratiosOf(results, 'creates', 'plant-store', 'pgbench'), []);
});

t.test('a benchmark goal is met or missed by a share of its bound, or unknown', async (t) => {
  const many = withConnections('creates-beside-peers', 64, { 'plant-store': 90, 'fastify-by-hand': 40 });
  t.equal(margin('creates-beside-peers with 64 ÷ fastify-by-hand', many), 0.25, 'at least 1.8, and 2.25');
  t.equal(margin('creates-beside-peers with 64 ÷ go-bare', many), undefined, 'not measured');
  const slow: Measured = { ...creates, name: 'quiet-p50', series: [{ ...service, at: 500, values: [75] }] };
  const name = "a quiet owner's create beside 500 connections, median";
  t.equal(margin(name, { ...results, measured: [slow] }), -0.5, 'at most 50, and 75');
  t.equal(new Set(goals.map(({ name }) => name)).size, goals.length, 'no two of a name');
});

t.test('a benchmark report shows conditions, figures, goals and missing contestants', async (t) => {
  const text = toText(results);
  t.match(text, /None of this was measured\./);
  t.match(text, /creates: 3 rounds of nothing\./);
  t.match(text, /Missing: pgbench: It is not here\./);
  t.match(text, /Go <pgx> +100 \(90–100\) +0\.4 \(0\.367–0\.7\)/);
  const markdown = toMarkdown(results);
  t.match(markdown, /^# Given figures\n\n<!-- .* -->\n\n- None of this was measured\.\n/);
  t.match(markdown, '\n| Go <pgx> | 100 (90–100) | 0.4 (0.367–0.7) |\n');
});

t.test('a benchmark report has a row for each number of connections', async (t) => {
  const medians = { 'plant-store': 500, 'fastify-by-hand': 400, go: 1_000 };
  const markdown = toMarkdown(withConnections('creates-beside-peers', 1_000, medians));
  t.match(markdown, '\n| connections | plant-store | fastify-by-hand | go |\n');
  t.match(markdown, '\n| 1,000 | 500 (500–500) | 400 (400–400) | 1,000 (1,000–1,000) |\n');
  t.match(
    markdown,
    '\n| connections | plant-store | ÷ fastify-by-hand | ÷ go |\n| --- | --- | --- | --- |\n' +
      '| 1,000 | 500 (500–500) | 1.25 (1.25–1.25) | 0.5 (0.5–0.5) |\n',
  );
  t.match(
    markdown,
    '\n| creates-beside-peers with 1000 ÷ fastify-by-hand | 1.25 (1.25–1.25) | at least 1.8 | missed by 31 % |\n',
  );
  const alone = { ...creates, axis: 'stored', series: [{ name: 'a', title: 'A', at: 7, values: [1] }] };
  t.match(toMarkdown({ ...results, measured: [alone] }), '\n| A | 7 | 1 (1–1) |  |\n');
});

t.test('several results together say only once what is equal', async (t) => {
  t.strictSame(joined('all', [results, results]).conditions, results.conditions);
});

t.test('every round measures all contestants, after a warm-up round that does not count', async (t) => {
  const order: string[] = [];
  const entrants = ['a', 'b', 'c'].map((name) => ({
    name,
    title: name,
    ...(name === 'c' && { warmUp: null }),
    async measure(round: number) {
      order.push(name + round);
      return round;
    },
  }));
  const progress = new Progress({ isTTY: false, write: () => true });
  // All processes are ours.
  const strangers = new Strangers([0], 0);
  const measured = await inRounds('letters', entrants, { options: { rounds: 2 }, progress, strangers });
  t.equal(order.join(' '), 'a0 b0 b1 c1 a1 c2 a2 b2', 'one that is warm is not warmed up');
  t.strictSame(
    measured.map(({ rounds }) => rounds),
    [
      [1, 2],
      [1, 2],
      [1, 2],
    ],
  );
});
