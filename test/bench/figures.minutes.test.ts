import t from 'tap';
import { Progress } from '../../scripts/contract/kit/progress.js';
import { byHand, service } from '../../scripts/lab/bench/contestants.js';
import { type Goal, goals } from '../../scripts/lab/bench/goals.js';
import { guardTable, judge, nameOf, together, valuesOf } from '../../scripts/lab/bench/guard.js';
import { picture } from '../../scripts/lab/bench/picture.js';
import { figureTable } from '../../scripts/lab/bench/report.js';
import { figureOf, inRounds, type Measured, quantile, ratiosOf } from '../../scripts/lab/bench/rounds.js';

/** Creates a second with so many connections, by contestant. */
function creates(at: number, values: Readonly<Record<string, number[]>>): Measured {
  const series = Object.entries(values).map(([name, values]) => ({
    name,
    title: name,
    at,
    values,
  }));
  return { name: 'creates', title: 'Creates a second', axis: 'connections', series };
}

const goal: Goal = {
  measure: 'creates',
  at: 64,
  of: service.name,
  to: byHand,
  better: 'more',
  goal: 3,
  reached: 4,
};
const wordsOf = (values: number[], of = goal) => judge({ goal: of, values }).words;

t.test('a quantile lies between two values, and the median is the middle of the rounds', async (t) => {
  t.ok(Number.isNaN(quantile([], 0.5)));
  t.equal(quantile([7], 0.25), 7);
  t.equal(quantile([4, 1, 3, 2, 5], 0.5), 3);
  t.equal(quantile([1, 2], 0.25), 1.25);
});

t.test('a ratio is made of two figures of one round', async (t) => {
  t.strictSame(ratiosOf([100, 300, 200], [100, 100, 80]), [1, 3, 2.5]);
  t.strictSame(ratiosOf([100, 300], [100]), [1]);
});

t.test('the guard tells what is met, what is being worked on, and what fell by a quarter', async (t) => {
  t.equal(wordsOf([3.1]), 'met');
  t.equal(wordsOf([3.01], { ...goal, goal: 5 }), 'being worked on');
  t.equal(wordsOf([3]), 'fell', 'a quarter below what was reached, although the goal is met');
  t.equal(wordsOf([2, 2, 4, 4, 4, 4]), 'met', 'the median of all rounds counts');
  const less: Goal = { ...goal, better: 'less', goal: 5, reached: 4 };
  t.equal(wordsOf([5], less), 'met');
  t.equal(wordsOf([5.1], less), 'being worked on');
  t.equal(wordsOf([5.4], less), 'fell');
  t.equal(wordsOf([3.01], { ...goal, goal: undefined }), 'given up');
  t.equal(wordsOf([3], { ...goal, goal: undefined }), 'fell', 'a figure without a goal may not fall either');
  t.strictSame(
    [3.3, 3.5].map((value) => judge({ goal, values: [value] }).isSuspect),
    [true, false],
    'what may have fallen is measured again',
  );
});

t.test('the guard takes the ratios of all rounds', async (t) => {
  const both = { [service.name]: [100, 300], [byHand]: [100, 100] };
  t.strictSame(valuesOf([creates(64, both)], [goal]), [{ goal, values: [1, 3] }]);
  t.strictSame(valuesOf([creates(4, both)], [goal]), [], 'not measured');
  t.strictSame(valuesOf([creates(64, { [service.name]: [1] })], [goal]), [], 'the peer is missing');
  const { to: _, ...itself } = goal;
  t.strictSame(
    valuesOf([creates(64, both)], [itself]).map(({ values }) => values),
    [[100, 300]],
  );
  t.strictSame(together([{ goal, values: [2] }], [{ goal, values: [4] }]), [{ goal, values: [2, 4] }]);
});

t.test('no two goals have a name, and what was reached is written down for each', async (t) => {
  t.equal(new Set(goals.map(nameOf)).size, goals.length);
  for (const { goal = 1, reached, ...one } of goals) t.ok(goal > 0 && reached > 0, one.measure);
});

t.test('the tables show figures, ratios to the service, and verdicts', async (t) => {
  const measured = creates(1_000, {
    [service.name]: [500, 700],
    [byHand]: [400, 350],
    go: [1_000, 1_000],
  });
  t.equal(
    figureTable(measured),
    `### Creates a second

| connections | 1,000 |
| --- | --- |
| plant-store | 600 |
| fastify-by-hand | 375 (1.63) |
| go | 1,000 (0.6) |`,
  );
  t.match(
    guardTable([judge({ goal, values: [3, 4, 5] })]),
    '\n| creates with 64 ÷ fastify-by-hand | 4 (3.5–4.5) | at least 3 | 4 | met |',
  );
});

t.test('the picture has a line for each contestant', async (t) => {
  const one = creates(1, { a: [5], b: [6] });
  const svg = picture([{ ...one, series: [...one.series, ...creates(4, { a: [7], b: [9] }).series] }]);
  t.equal(svg.match(/<polyline /g)?.length, 2);
  t.match(svg, /Creates a second, by connections/);
});

t.test('every round measures all contestants, in an order that rotates', async (t) => {
  const order: string[] = [];
  const entrants = ['a', 'b', 'c'].map((name, at) => ({
    name,
    title: name,
    prepare: async () => order.push(`(${name})`),
    async measure() {
      order.push(name);
      return at;
    },
  }));
  const progress = new Progress({ isTTY: false, write: () => true });
  const step = await inRounds({ options: { rounds: 2 }, progress }, 'letters', 7, entrants);
  t.equal(order.join(''), '(a)a(b)b(c)c(b)b(c)c(a)a');
  const about = { name: 'letters', title: '', axis: '' };
  const { series } = figureOf(about, [step], (outcome) => (outcome === 2 ? Number.NaN : outcome));
  t.match(series, [
    { name: 'a', at: 7, values: [0, 0] },
    { name: 'b', at: 7, values: [1, 1] },
  ]);
  t.equal(series.length, 2, 'one that does not have the figure is left out');
});
