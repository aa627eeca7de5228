import t from 'tap';
import { rateLimit, TooManyRequestsError } from '../../src/fairness/rate-limit.js';
import { startService } from '../support/service.js';

/** How many of so many requests at a moment are admitted. */
function admitted(admit: ReturnType<typeof rateLimit>, owner: string, now: number, requests = 1_000): number {
  let count = 0;
  for (let request = 0; request < requests; request++) {
    try {
      admit(owner, now);
      count++;
    } catch (error) {
      if (!(error instanceof TooManyRequestsError)) throw error;
    }
  }
  return count;
}

t.test('an owner has exactly the requests of a second, and gets more as time passes', async (t) => {
  for (const perSecond of [1, 3, 7, 100, 999]) {
    const admit = rateLimit(perSecond);
    t.equal(admitted(admit, 'alice', 0), perSecond);
    t.equal(admitted(admit, 'alice', 999 / perSecond), 0, 'too early');
    t.equal(admitted(admit, 'alice', 1_000 / perSecond), 1);
    t.equal(admitted(admit, 'bob', 0), perSecond, 'another owner has its own');
    t.equal(admitted(admit, 'alice', 1e6), perSecond, 'saved requests are those of one second');
  }
});

t.test('over a long time, an owner gets no more and no less', async (t) => {
  const admit = rateLimit(7);
  let count = 0;
  for (let now = 0; now <= 60_000; now += 1) count += admitted(admit, 'alice', now, 1);
  t.equal(count, 7 + 7 * 60);
});

t.test('one request too many is a 429 that says when to come again, for this owner only', async (t) => {
  const service = await startService(t, { requestsPerSecond: 1 });
  const calls = await Promise.all(Array.from({ length: 20 }, () => service.call('GET', '/plants?limit=1')));
  const refused = calls.filter(({ status }) => status === 429);
  const [first] = refused;
  t.ok(refused.length > 0);
  t.equal(first?.headers.get('retry-after'), '1');
  t.equal(first?.headers.get('ratelimit-policy'), '"owner";q=1;w=1');
  t.equal(first?.headers.get('ratelimit'), '"owner";r=0;t=1');
  t.strictSame(first?.body, { error: 429, message: 'The limit is 1 requests a second: try again later.' });
  const other = await service.newCaller();
  t.equal((await other('GET', '/plants?limit=1')).status, 200);
  for (let calls = 0; calls < 5; calls++) t.equal((await service.call('GET', '/live')).status, 200);
});
