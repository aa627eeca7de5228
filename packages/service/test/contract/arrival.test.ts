/** All that a request waits for counts from its arrival, so that its time limits do not add up. */
import { once } from 'node:events';
import { request } from 'node:http';
import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { untilLocked } from '../../../kit/postgres.js';
import { newPlantText } from '../support/plants.js';
import { startService } from '../support/service.js';

/** Starts a service that notes of each create when the request arrived, as its handler is told. */
async function startNoting(t: Test) {
  const arrivals: number[] = [];
  const service = await startService(t, {
    parts: {
      ...plantStore,
      async openHandlers(contract, database) {
        const handlers = await plantStore.openHandlers(contract, database);
        return {
          ...handlers,
          createPlant: async ({ arrivedAt }) => {
            arrivals.push(arrivedAt);
            return { status: 409, body: { error: 409, message: 'noted' } };
          },
        };
      },
    },
  });
  return { ...service, arrivals };
}

const body = newPlantText({ id: 1, name: 'x' });

t.test('the time in which its token is looked up counts', async (t) => {
  const { call, databaseUrl, arrivals } = await startNoting(t);
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE access_tokens');
  const answer = call('POST', '/plants', { body });
  await untilLocked(databaseUrl);
  const looking = performance.now();
  await holder.query('ROLLBACK');
  t.equal((await answer).status, 409);
  const [arrivedAt = Number.NaN] = arrivals;
  t.ok(arrivedAt < looking, `${arrivedAt} < ${looking}`);
});

t.test('the time in which the client sends its body does not count', async (t) => {
  const { call, address, token, arrivals } = await startNoting(t);
  await call('POST', '/plants', { body });
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    Expect: '100-continue',
  };
  const slow = request(`${address}/plants`, { method: 'POST', headers });
  slow.flushHeaders();
  await once(slow, 'continue');
  const arrived = performance.now();
  // The service does more meanwhile than to check the token, which takes it no question.
  for (let others = 0; others < 50; others++) await call('GET', '/live');
  slow.end(body);
  const [answer] = await once(slow, 'response');
  t.equal(answer.statusCode, 409);
  answer.resume();
  const arrivedAt = arrivals.at(-1) ?? Number.NaN;
  t.ok(arrivedAt > arrived, `${arrivedAt} > ${arrived}`);
});
