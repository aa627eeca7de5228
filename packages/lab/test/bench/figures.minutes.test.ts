import t from 'tap';
import { Progress } from '../../../contract-tools/base.js';
import { notLanded } from '../../src/bench/build-before.js';
import { byHand, service } from '../../src/bench/contestants.js';
import { type Goal, goals, goalTable, nameOf, valuesOf } from '../../src/bench/goals.js';
import { guardTable, rule } from '../../src/bench/guard.js';
import { picture } from '../../src/bench/picture.js';
import { figureTable } from '../../src/bench/report.js';
import { figureOf, inRounds, type Measured, quantile, ratiosOf } from '../../src/bench/rounds.js';

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

const goal: Goal = { measure: 'creates', at: 64, of: service.name, to: byHand, better: 'more', goal: 3 };

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

const exceptions = [{ figure: 'creates with 64', reason: 'Each create writes a line of the audit.' }];
for (const [ratios, ruling] of [
  [[1.1], 'holds'],
  [[1.2], 'costs more'],
  [[1.3, 1.05], 'holds'],
  [[1.3, 1.4, 1.25], 'costs more'],
  [[1.3, 1.4, 1.26], 'costs too much'],
] as const) {
  t.test(`with ${ratios.join(', ')} of the CPU time of the build before, a request ${ruling}`, async (t) => {
    const comparison = { figure: 'creates with 64', measure: 'creates', at: 64, ratios };
    t.equal(rule(comparison, []), ruling);
    t.equal(
      rule({ ...comparison, figure: 'creates with 1' }, exceptions),
      ruling,
      'the exception is of another',
    );
    t.equal(rule(comparison, exceptions), ruling === 'costs too much' ? 'meant to cost more' : ruling);
    t.match(
      guardTable([comparison], exceptions),
      ruling === 'costs too much'
        ? '| creates with 64 | 1.30, 1.40, 1.26 | meant to cost more: Each create writes a line of the audit. |'
        : `| ${ruling} |`,
    );
  });
}

t.test('an exception counts until the build before has it', async (t) => {
  const [one, other] = [
    { figure: 'creates with 64', reason: 'a' },
    { figure: 'lists with 1', reason: 'b' },
  ];
  t.strictSame(notLanded([one, other], [one]), [other]);
  t.strictSame(notLanded([one], [{ ...one, reason: 'an older one' }]), [one]);
  t.strictSame(notLanded([one], []), [one], 'the build before has none, or no such file');
});

t.test('a goal is a ratio of two figures of one round', async (t) => {
  const both = { [service.name]: [100, 300], [byHand]: [100, 100] };
  t.strictSame(valuesOf([creates(64, both)], [goal]), [{ goal, values: [1, 3] }]);
  t.strictSame(valuesOf([creates(4, both)], [goal]), [], 'not measured');
  t.strictSame(valuesOf([creates(64, { [service.name]: [1] })], [goal]), [], 'the peer is missing');
  const { to: _, ...itself } = goal;
  t.strictSame(
    valuesOf([creates(64, both)], [itself]).map(({ values }) => values),
    [[100, 300]],
  );
});

t.test('no two goals have a name', async (t) => {
  t.equal(new Set(goals.map(nameOf)).size, goals.length);
});

t.test('the tables show figures, ratios to the service, and whether goals are met', async (t) => {
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
  t.equal(
    goalTable([
      { goal, values: [3, 4, 5] },
      { goal: { ...goal, better: 'less' }, values: [3, 4, 5] },
    ]).replace(/^.*\n.*\n/, ''),
    `| creates with 64 ÷ fastify-by-hand | 4 (3.5–4.5) | at least 3 | met |
| creates with 64 ÷ fastify-by-hand | 4 (3.5–4.5) | at most 3 | missed |`,
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
