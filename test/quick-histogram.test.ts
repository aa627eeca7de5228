import { Histogram, Registry } from 'prom-client';
import t from 'tap';
import { QuickHistogram } from '../src/quick-histogram.js';

const common = { name: 'durations', help: 'Of "all"\nrequests.', labelNames: ['operation', 'status'] };
const bounds = [0.001, 0.5, 2];

t.test("a quick histogram says what prom-client's says", async (t) => {
  const [theirs, ours] = [new Registry(), new Registry()];
  const slow = new Histogram({ ...common, buckets: bounds, registers: [theirs] });
  const quick = new QuickHistogram({ ...common, bounds, registry: ours });
  t.equal(await ours.metrics(), await theirs.metrics(), 'before the first value');
  for (const [operation, status] of [
    ['create', 200],
    ['create', 503],
    ['', 'unanswered'],
    ['a "quote"', 200],
  ] as const) {
    for (const value of [0, 0.001, 0.0011, 0.5, 1.25, 2, 2.5, 1_000]) {
      slow.observe({ operation, status }, value);
      quick.observe(value, operation, status);
    }
  }
  const said = await ours.metrics();
  t.equal(said, await theirs.metrics());
  t.match(said, 'durations_bucket{le="0.5",operation="create",status="503"} 4\n');
});
