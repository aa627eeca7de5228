import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeLog } from '../../../../src/log/log.js';
import { readMockable } from '../../mock/any-contract.js';
import { buildMock } from '../../mock/app.js';

t.setTimeout(600_000);

/** Work that has not ended by then does not end. */
const maxWaitMs = 60_000;

/** Calls a stateful mock of one of the strange contracts. */
async function mockOf(t: Test, name: string) {
  const file = join(import.meta.dirname, '..', '..', 'faults', 'contracts', `${name}.yaml`);
  const { contract, isOwn } = await readMockable(file);
  const app = await buildMock({
    ...{ contract, log: makeLog('silent'), stateful: true, documentedFailures: !isOwn },
  });
  t.teardown(() => app.close());
  return async (method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE', url: string, options: Options = {}) => {
    const { body, headers = {}, type = 'application/json', caller = 'ann:1' } = options;
    const basic = `Basic ${Buffer.from(caller).toString('base64')}`;
    const own = name === 'repairs' ? { 'x-api-key': caller } : { authorization: basic };
    const answer = await app.inject({
      ...{ method, url },
      headers: { ...own, ...(body !== undefined && { 'content-type': type }), ...headers },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: answer.payload ? answer.json() : undefined,
    };
  };
}

interface Options {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly caller?: string;
}

async function workshop(t: Test) {
  const call = await mockOf(t, 'repairs');
  const { id } = (await call('POST', '/workshops', { body: { name: 'Corner' } })).body;
  const addJob = (members: object) =>
    call('POST', `/workshops/${id}/jobs`, { body: { title: 'Brakes', kind: 'repair', ...members } });
  return { call, id, jobs: `/workshops/${id}/jobs`, addJob };
}

t.test('an item with a path of its own is found by its Location, and goes with its parent', async (t) => {
  const { call, id, jobs, addJob } = await workshop(t);
  const made = await addJob({});
  t.match(made, {
    status: 201,
    body: { workshopId: id, number: 1 },
    headers: { location: `/jobs/${made.body.id}` },
  });
  const path = String(made.headers.location);
  t.strictSame((await call('GET', path)).body, made.body);
  t.match((await call('GET', jobs)).body, { items: [made.body], total: 1 });
  t.equal((await call('GET', path, { caller: 'bob:1' })).status, 404);
  t.equal(
    (
      await call('POST', '/workshops/123e4567-e89b-42d3-a456-426614174000/jobs', {
        body: { title: 'a', kind: 'repair' },
      })
    ).status,
    404,
  );
  t.equal((await call('DELETE', `/workshops/${id}`)).status, 204);
  t.equal((await call('GET', path)).status, 404);
});

t.test('RFC 9110, section 13: the stateful mock answers ETags, and asks for them', async (t) => {
  const { call, addJob } = await workshop(t);
  const made = await addJob({});
  const [path, tag] = [String(made.headers.location), String(made.headers.etag)];
  const body = { title: 'Lights', kind: 'repair' };
  t.equal((await call('GET', path, { headers: { 'if-none-match': tag } })).status, 304);
  t.match(await call('PUT', path, { body }), { status: 428, body: { status: 428, detail: /If-Match/ } });
  t.equal((await call('PUT', path, { body, headers: { 'if-match': `W/${tag}` } })).status, 412);
  const changed = await call('PUT', path, { body, headers: { 'if-match': `"other", ${tag}` } });
  t.match(changed, { status: 200, body: { title: 'Lights' } });
  t.not(changed.headers.etag, tag);
  t.equal((await call('DELETE', path, { headers: { 'if-match': tag } })).status, 412);
  t.equal((await call('GET', path, { headers: { 'if-none-match': tag } })).status, 200);
});

t.test('defaults are sent, also nested ones, and a PUT gives them to what it leaves out', async (t) => {
  const { call, addJob } = await workshop(t);
  const made = await addJob({ state: 'closed', contact: { name: 'Ada' } });
  t.match(made.body, { state: 'closed', contact: { channel: 'phone', language: 'en' } });
  const headers = { 'if-match': String(made.headers.etag) };
  const { number, ...others } = made.body;
  const back = await call('PUT', `/jobs/${made.body.id}`, {
    body: { ...others, number: number + 1 },
    headers,
  });
  t.strictSame(back.body, made.body, 'members that are readOnly may be sent back, and are ignored');
  const replaced = await call('PUT', `/jobs/${made.body.id}`, {
    ...{ body: { title: 'a', kind: 'repair' }, headers: { 'if-match': '*' } },
  });
  t.equal(replaced.body.state, 'open');
  t.notOk('contact' in replaced.body);
});

t.test('lists are filtered, put in order and counted as their parameters say', async (t) => {
  const { call, jobs, addJob } = await workshop(t);
  for (const [title, state] of [
    ['b', 'open'],
    ['c', 'closed'],
    ['a', 'open'],
    ['\u{1f600}', 'open'],
    ['\uff5e', 'open'],
  ])
    await addJob({ title, state });
  const titles = async (query: string) =>
    (await call('GET', `${jobs}?${query}`)).body.items.map(({ title }: { title: string }) => title).join(' ');
  t.equal(await titles('sort=title'), 'a b c \uff5e \u{1f600}', 'by code points');
  t.equal(await titles('sort=-title&state=open'), '\u{1f600} \uff5e b a');
  t.equal(await titles('sort=-number&limit=2&offset=1'), '\u{1f600} a');
  t.match((await call('GET', `${jobs}?state=open&limit=1`)).body, { total: 4, items: { length: 1 } });
  t.equal((await call('GET', `${jobs}?state=lost`)).status, 400);
});

t.test('work that takes time ends after a moment, and leads to its result', async (t) => {
  const { call, addJob } = await workshop(t);
  const { body: job } = await addJob({});
  const begun = await call('POST', `/jobs/${job.id}/invoice`);
  t.match(begun, { status: 202, body: { state: 'queued' }, headers: { 'retry-after': '1' } });
  const run = String(begun.headers.location);
  t.equal(run, `/runs/${begun.body.id}`);
  t.equal((await call('GET', run, { caller: 'bob:1' })).status, 404);
  let { body: over } = await call('GET', run);
  for (const begin = performance.now(); over.state !== 'done' && performance.now() - begin < maxWaitMs; )
    over = (await call('GET', run)).body;
  t.match(await call('GET', over.invoice), { status: 200, body: { jobId: job.id } });
  t.equal((await call('GET', over.invoice, { caller: 'bob:1' })).status, 404);
  t.equal((await call('POST', '/jobs/123e4567-e89b-42d3-a456-426614174000/invoice')).status, 404);
});

t.test(
  'a merge patch removes what it names null (RFC 7396), and what can be null is null if it is unknown',
  async (t) => {
    const call = await mockOf(t, 'exhibits');
    const made = await call('POST', '/exhibits', {
      body: {
        inventoryNumber: 'A 1',
        title: 'Vase',
        material: 'stone',
        artist: 'Ada',
        dimensions: { height: 1, width: 2 },
      },
    });
    t.match(made, { status: 201, body: { onDisplay: false, year: null, hall: null } });
    const patched = await call('PATCH', '/exhibits/A%201', {
      body: { artist: null, dimensions: { height: null, depth: 3 } },
      type: 'application/merge-patch+json',
    });
    t.notOk('artist' in patched.body);
    t.strictSame(patched.body.dimensions, { width: 2, depth: 3 });
  },
);

t.test(
  'a reference must lead to an item, and keeps it from being removed if that is documented',
  async (t) => {
    const call = await mockOf(t, 'exhibits');
    const exhibit = { inventoryNumber: 'A1', title: 'Vase', material: 'stone', hall: 'west' };
    t.match(await call('POST', '/exhibits', { body: exhibit }), {
      status: 422,
      body: { detail: /hall refers to nothing/ },
    });
    t.equal((await call('PUT', '/halls/west', { body: { floor: 1 } })).status, 201);
    t.equal((await call('POST', '/exhibits', { body: exhibit })).status, 201);
    t.match(await call('DELETE', '/halls/west'), { status: 409, body: { status: 409 } });
    const many = [
      exhibit,
      { ...exhibit, title: 'Bowl' },
      { ...exhibit, inventoryNumber: 'B2', hall: 'east' },
    ];
    const { status, body } = await call('POST', '/bulk/exhibits', { body: many });
    t.equal(status, 207);
    t.match(body, [{ status: 201 }, { status: 409 }, { inventoryNumber: 'B2', status: 422 }]);
  },
);

t.test('a refusal says why in the form and with the status that the document has', async (t) => {
  const call = await mockOf(t, 'exhibits');
  const body = { inventoryNumber: 'A1', title: '', material: 'stone' };
  const unfit = await call('POST', '/exhibits', { body });
  t.match(unfit.headers['content-type'], /^application\/problem\+json/);
  t.match(unfit.body, {
    title: 'Unprocessable Entity',
    status: 422,
    detail: /^body\/title must NOT have fewer/,
  });
  t.match((await call('GET', '/exhibits?limit=0')).body, {
    status: 400,
    detail: /^query\/limit must be an integer/,
  });
  t.match((await call('GET', '/nothing')).body, { title: 'Not Found', status: 404, detail: String });
  const wrong = await call('PUT', '/exhibits');
  t.match(wrong, {
    status: 405,
    headers: { allow: 'GET, POST, HEAD' },
    body: { status: 405, title: 'Method Not Allowed' },
  });
});
