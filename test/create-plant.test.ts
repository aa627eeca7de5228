import pg from 'pg';
import t from 'tap';
import { startService } from './support/service.js';

const { databaseUrl, newCaller, tokens } = await startService(t);

const plant = (id: bigint | number, name: string, tag?: string) =>
  JSON.stringify({ id: '?', name, tag }).replace('"?"', String(id));

t.test('a created plant is answered, and listed', async (t) => {
  const call = await newCaller();
  const created = await call('POST', '/plants', { body: plant(7, 'Monstera deliciosa', 'climber') });
  t.equal(created.status, 200);
  t.strictSame(created.body, { name: 'Monstera deliciosa', tag: 'climber' });
  t.strictSame((await call('GET', '/plants')).body, [{ name: 'Monstera deliciosa', tag: 'climber' }]);
});

t.test('a plant is committed when its create is answered', async (t) => {
  const call = await newCaller();
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  t.teardown(() => other.end());
  await call('POST', '/plants', { body: plant(4711, 'Ficus') });
  const { rows } = await other.query('SELECT id, name, tag FROM plants WHERE id = 4711');
  t.strictSame(rows, [{ id: 4711n, name: 'Ficus', tag: null }]);
});

t.test('repeating a create with the same content answers 200 and stores nothing more', async (t) => {
  const call = await newCaller();
  for (const tag of ['climber', undefined]) {
    const body = plant(tag === undefined ? 1 : 2, 'Monstera', tag);
    const first = await call('POST', '/plants', { body });
    const second = await call('POST', '/plants', { body });
    t.strictSame([second.status, second.text], [200, first.text]);
  }
  t.strictSame((await call('GET', '/plants')).body, [
    { name: 'Monstera' },
    { name: 'Monstera', tag: 'climber' },
  ]);
});

t.test('repeating a create with other content answers 409 and changes nothing', async (t) => {
  const call = await newCaller();
  await call('POST', '/plants', { body: plant(1, 'Ficus', '') });
  for (const body of [plant(1, 'ficus', ''), plant(1, 'Ficus', 'tree'), plant(1, 'Ficus')]) {
    const { status, body: error } = await call('POST', '/plants', { body });
    t.equal(status, 409);
    t.match(error, { error: 409, message: String });
  }
  t.strictSame((await call('GET', '/plants')).body, [{ name: 'Ficus', tag: '' }]);
});

t.test('of simultaneous creates of one id, equal ones all succeed', async (t) => {
  const call = await newCaller();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => call('POST', '/plants', { body: plant(5, 'Aloe', 'vera') })),
  );
  t.ok(answers.every(({ status, text }) => status === 200 && text === '{"name":"Aloe","tag":"vera"}'));
  t.strictSame((await call('GET', '/plants')).body, [{ name: 'Aloe', tag: 'vera' }]);
});

t.test(
  'of simultaneous creates of one id, differing ones succeed once, and the others conflict',
  async (t) => {
    const call = await newCaller();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        call('POST', '/plants', { body: plant(5, `Aloe ${number}`) }),
      ),
    );
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    t.strictSame(others, []);
    t.equal(answers.filter(({ status }) => status === 409).length, 29);
    t.strictSame((await call('GET', '/plants')).body, [winner?.body]);
  },
);

t.test('of simultaneous creates and deletes of one id, each gets a documented answer', async (t) => {
  const call = await newCaller();
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, number) =>
      number % 2 === 0 ? call('POST', '/plants', { body: plant(5, 'Aloe') }) : call('DELETE', '/plants/5'),
    ),
  );
  for (const [number, { status }] of answers.entries())
    t.ok(number % 2 === 0 ? status === 200 : [204, 404].includes(status));
});

t.test('another owner may use the same id, and neither learns of the other', async (t) => {
  const call = await newCaller();
  const token = await tokens.issue('neighbour');
  t.equal((await call('POST', '/plants', { body: plant(1, 'Ficus') })).status, 200);
  t.equal((await call('POST', '/plants', { token, body: plant(1, 'Fern') })).status, 200);
  t.strictSame((await call('GET', '/plants')).body, [{ name: 'Ficus' }]);
  t.strictSame((await call('GET', '/plants', { token })).body, [{ name: 'Fern' }]);
});

t.test('members that the contract does not name are neither stored nor answered', async (t) => {
  const call = await newCaller();
  const body =
    '{"id":1,"name":"Ficus","owner":"neighbour","toString":1,"nested":{"constructor":[{}]},"price":1e3}';
  const created = await call('POST', '/plants', { body });
  t.strictSame([created.status, created.text], [200, '{"name":"Ficus"}']);
  t.equal((await call('GET', '/plants')).text, '[{"name":"Ficus"}]');
});
