import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CallOptions } from '../../../kit/testing.js';
import { type RepairFault, repairFaults } from '../../faults/models/repairs/faults.js';
import { startRepairs } from '../../faults/models/repairs/server.js';
import { type Answer as AnswerOf, ask, askBytes, type Behaviours, tryBehaviours } from './behaviours.js';

const [first, second] = ['first-key-of-a-test', 'other-key-of-a-test'];
/** A run of the server without a fault has ended after three looks. */
const looks = 10;
const races = 10;
const order = ['queued', 'running', 'done'];
const oneJob = { title: 'Brakes', kind: 'repair' };

/** The members that the tests read: of workshops, jobs, runs, invoices, lists and problems. */
interface Told {
  readonly id: string;
  readonly items: readonly Told[];
  readonly total: number;
  readonly title: string;
  readonly number: number;
  readonly state: string;
  readonly contact?: unknown;
  readonly price?: unknown;
  readonly workshopId: string;
  readonly createdAt: string;
  readonly invoice: string;
  readonly status: number;
}
type Answer = AnswerOf<Told>;

function client(origin: string, key: string) {
  return (method: string, path: string, { headers, ...options }: CallOptions = {}): Promise<Answer> =>
    ask(origin, method, path, { ...options, headers: { 'x-api-key': key, ...headers } });
}

/** Makes a workshop, and clients of its owner and of another one. */
async function workshop(origin: string) {
  const [own, other] = [client(origin, first), client(origin, second)];
  const { body } = await own('POST', '/workshops', { body: { name: 'Corner' } });
  const jobs = `/workshops/${body.id}/jobs`;
  const addJob = async (members: object = {}): Promise<Answer> => {
    const made = await own('POST', jobs, { body: { ...oneJob, ...members } });
    equal(made.status, 201);
    return made;
  };
  return { own, other, id: String(body.id), jobs, addJob };
}

const pathOf = ({ body }: Answer): string => `/jobs/${body.id}`;
const tagOf = ({ headers }: Answer): string => headers.get('etag') ?? '';
const idsOf = ({ body }: Answer): string[] => body.items.map(({ id }) => id);

const conditions: Behaviours = {
  'RFC 9110, section 8.8.3: the ETag is that of the create until the job changes': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob();
    const got = await own('GET', pathOf(made));
    equal(tagOf(got), tagOf(made));
    const headers = { 'if-match': tagOf(got) };
    const replaced = await own('PUT', pathOf(made), { body: { ...oneJob, title: 'Lights' }, headers });
    equal(replaced.status, 200);
    notEqual(tagOf(replaced), tagOf(made));
    equal(tagOf(await own('GET', pathOf(made))), tagOf(replaced));
  },
  'RFC 9110, section 13.1.1: a stale If-Match is a 412, and nothing changes': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob();
    const headers = { 'if-match': tagOf(made) };
    await own('PUT', pathOf(made), { body: { ...oneJob, title: 'Lights' }, headers });
    equal((await own('PUT', pathOf(made), { body: { ...oneJob, title: 'Horn' }, headers })).status, 412);
    equal((await own('GET', pathOf(made))).body.title, 'Lights');
    equal((await own('DELETE', pathOf(made), { headers })).status, 412);
    equal((await own('GET', pathOf(made))).status, 200);
  },
  'RFC 6585, section 3: a PUT without If-Match is a 428': async (origin) => {
    const { own, addJob } = await workshop(origin);
    equal((await own('PUT', pathOf(await addJob()), { body: oneJob })).status, 428);
  },
  'RFC 9110, section 13.1.1: If-Match compares strongly': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob();
    for (const tag of [`W/${tagOf(made)}`, tagOf(made).replaceAll('"', '')])
      equal((await own('PUT', pathOf(made), { body: oneJob, headers: { 'if-match': tag } })).status, 412);
  },
  'RFC 9110, section 13.1.1: If-Match may list tags, or be an asterisk': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob();
    const list = { 'if-match': `"another", ${tagOf(made)}` };
    equal((await own('PUT', pathOf(made), { body: oneJob, headers: list })).status, 200);
    equal((await own('PUT', pathOf(made), { body: oneJob, headers: { 'if-match': '*' } })).status, 200);
  },
  'of two writers with one tag, one wins': async (origin) => {
    const { own, addJob } = await workshop(origin);
    // On a busy machine, the second may come when the first has written.
    for (let race = 0; race < races; race++) {
      const made = await addJob();
      const headers = { 'if-match': tagOf(made) };
      const both = await Promise.all(
        ['Lights', 'Horn'].map((title) => own('PUT', pathOf(made), { body: { ...oneJob, title }, headers })),
      );
      deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
    }
  },
  'RFC 9110, section 13.1.2: If-None-Match with the tag is a 304, also in its weak form': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob();
    for (const tag of [tagOf(made), `W/${tagOf(made)}`, '*']) {
      const known = await own('GET', pathOf(made), { headers: { 'if-none-match': tag } });
      equal(known.status, 304);
      equal(tagOf(known), tagOf(made));
      equal(known.body, undefined);
    }
    equal((await own('GET', pathOf(made), { headers: { 'if-none-match': '"another"' } })).status, 200);
    equal((await own('GET', pathOf(made))).status, 200);
  },
};

const shallowJobs: Behaviours = {
  'RFC 9110, section 15.3.2: Location leads to the job': async (origin) => {
    const { own, addJob } = await workshop(origin);
    await addJob();
    const made = await addJob({ contact: { name: 'Ada' } });
    const got = await own('GET', made.headers.get('location') ?? '');
    equal(got.status, 200);
    deepEqual(got.body, made.body);
  },
  'what belongs to another owner is not there': async (origin) => {
    const { own, other, jobs, addJob } = await workshop(origin);
    const made = await addJob();
    const headers = { 'if-match': tagOf(made) };
    equal((await other('GET', pathOf(made))).status, 404);
    equal((await other('PUT', pathOf(made), { body: oneJob, headers })).status, 404);
    equal((await other('POST', `${pathOf(made)}/invoice`)).status, 404);
    equal((await other('DELETE', pathOf(made))).status, 404);
    equal((await other('GET', jobs)).status, 404);
    equal((await other('POST', jobs, { body: oneJob })).status, 404);
    deepEqual(idsOf(await own('GET', jobs)), [made.body.id]);
  },
  'a workshop that nobody has takes no job': async (origin) => {
    const nowhere = `/workshops/${randomUUID()}/jobs`;
    equal((await client(origin, first)('POST', nowhere, { body: oneJob })).status, 404);
  },
  'a removed job is gone, and a removed workshop takes its jobs along': async (origin) => {
    const { own, id, jobs, addJob } = await workshop(origin);
    const [one, other] = [await addJob(), await addJob()];
    equal((await own('DELETE', pathOf(one), { headers: { 'if-match': tagOf(one) } })).status, 204);
    equal((await own('DELETE', pathOf(one))).status, 404);
    deepEqual(idsOf(await own('GET', jobs)), [other.body.id]);
    equal((await own('DELETE', `/workshops/${id}`)).status, 204);
    equal((await own('GET', pathOf(other))).status, 404);
  },
};

const members: Behaviours = {
  'defaults are filled in, also in objects': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob({ contact: { name: 'Ada' }, price: { cents: 5 } });
    const { state, contact, price } = (await own('GET', pathOf(made))).body;
    equal(state, 'open');
    deepEqual(contact, { name: 'Ada', channel: 'phone', language: 'en' });
    deepEqual(price, { cents: 5, currency: 'EUR' });
  },
  'RFC 9110, section 9.3.4: a PUT leaves nothing of what it does not name': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob({ mechanic: randomUUID(), due: '2026-02-28', state: 'closed' });
    const headers = { 'if-match': tagOf(made) };
    const { body } = await own('PUT', pathOf(made), { body: oneJob, headers });
    const { id, number, workshopId, createdAt } = made.body;
    deepEqual(body, { ...oneJob, state: 'open', id, number, workshopId, createdAt });
    deepEqual((await own('GET', pathOf(made))).body, body);
  },
  'readOnly members of a request are ignored': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob({ number: 2_000_000 });
    notEqual(made.body.number, 2_000_000);
    const headers = { 'if-match': tagOf(made) };
    const { status, body } = await own('PUT', pathOf(made), {
      body: { ...made.body, number: 1_000_000 },
      headers,
    });
    equal(status, 200);
    deepEqual(body, made.body);
  },
  'a body that does not fit is a 422': async (origin) => {
    const { own, jobs, addJob } = await workshop(origin);
    const made = await addJob();
    const wrong = [
      { title: '' },
      { title: 'x'.repeat(81) },
      { kind: 'theft' },
      { due: '2026-02-30' },
      { colour: 'red' },
      { contact: {} },
      { price: { cents: 0.5 } },
    ];
    for (const one of wrong) {
      const refused = await own('POST', jobs, { body: { ...oneJob, ...one } });
      equal(refused.status, 422, JSON.stringify(one));
      equal(refused.headers.get('content-type'), 'application/problem+json');
      equal(refused.body.status, 422);
      const headers = { 'if-match': tagOf(made) };
      equal((await own('PUT', pathOf(made), { body: { ...oneJob, ...one }, headers })).status, 422);
    }
    // Characters are code points: these are 160 units of UTF-16.
    await addJob({ title: '😀'.repeat(80), due: null });
  },
  'what is not JSON is a 400 or a 415, and what is too large a 413': async (origin) => {
    const { own, jobs } = await workshop(origin);
    equal((await own('POST', jobs, { body: '{' })).status, 400);
    const headers = { 'content-type': 'text/plain' };
    equal((await own('POST', jobs, { body: oneJob, headers })).status, 415);
    equal((await own('POST', jobs, { body: { ...oneJob, title: 'x'.repeat(70_000) } })).status, 413);
  },
};

/** Adds five jobs, and returns their ids by the letters of their titles. */
async function fiveJobs(origin: string) {
  const { own, jobs, addJob } = await workshop(origin);
  const mechanic = randomUUID();
  const ids = new Map<string, string>();
  for (const [index, title] of [...'cabed'].entries()) {
    const state = index % 2 === 0 ? 'waiting' : 'open';
    const made = await addJob({ title, state, ...(index > 2 && { mechanic }) });
    ids.set(title, made.body.id);
  }
  const idsAt = (titles: string): string[] => [...titles].map((title) => ids.get(title) ?? '');
  const list = (query: string): Promise<Answer> => own('GET', `${jobs}?${query}`);
  return { idsAt, list, mechanic };
}

const lists: Behaviours = {
  'filters let through all that fit, and only them': async (origin) => {
    const { idsAt, list, mechanic } = await fiveJobs(origin);
    deepEqual(idsOf(await list('state=waiting')), idsAt('cbd'));
    deepEqual(idsOf(await list(`mechanic=${mechanic.toUpperCase()}`)), idsAt('ed'));
    deepEqual(idsOf(await list(`mechanic=${mechanic}&state=open`)), idsAt('e'));
    equal((await list('state=lost')).status, 400);
  },
  'sort puts all jobs in order': async (origin) => {
    const { idsAt, list } = await fiveJobs(origin);
    deepEqual(idsOf(await list('')), idsAt('cabed'));
    deepEqual(idsOf(await list('sort=-number')), idsAt('debac'));
    deepEqual(idsOf(await list('sort=title&limit=2')), idsAt('ab'));
    deepEqual(idsOf(await list('sort=-title&limit=2&offset=1')), idsAt('dc'));
  },
  'the total is that of all pages, after the filters': async (origin) => {
    const { list } = await fiveJobs(origin);
    equal((await list('limit=2&offset=4')).body.total, 5);
    equal((await list('state=waiting&limit=1')).body.total, 3);
  },
  'pages hold each job once': async (origin) => {
    const { idsAt, list } = await fiveJobs(origin);
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => list(`limit=2&offset=${offset}`)));
    deepEqual(
      pages.map((page) => idsOf(page).length),
      [2, 2, 1, 0],
    );
    deepEqual(pages.flatMap(idsOf), idsAt('cabed'));
    equal((await list('limit=0')).status, 400);
    equal((await list('limit=1&limit=2')).status, 400);
  },
};

const invoices: Behaviours = {
  'RFC 9110, section 15.3.3: a 202 leads to a run, which ends and leads to the invoice': async (origin) => {
    const { own, other, addJob } = await workshop(origin);
    const made = await addJob({ price: { cents: 1200, currency: 'CHF' } });
    const begun = await own('POST', `${pathOf(made)}/invoice`);
    equal(begun.status, 202);
    match(begun.headers.get('retry-after') ?? '', /^\d+$/);
    const run = begun.headers.get('location') ?? '';
    equal((await other('GET', run)).status, 404);
    const states: string[] = [];
    while (states.length < looks) {
      const { status, body } = await own('GET', run);
      equal(status, 200);
      match(body.state, /^(queued|running|done|failed)$/);
      states.push(body.state);
      if (body.state === 'done') {
        const { body: invoice } = await own('GET', body.invoice);
        const { id, ...rest } = invoice;
        deepEqual(rest, { jobId: made.body.id, cents: 1200, currency: 'CHF' });
        equal((await client(origin, 'no-key')('GET', body.invoice)).status, 401);
      }
    }
    equal(states.at(-1), 'done');
    deepEqual(
      states.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)),
      states,
    );
  },
};

const http: Behaviours = {
  'RFC 9110, section 15.5.6: a 405 says in Allow what there is': async (origin) => {
    const { own, jobs, addJob } = await workshop(origin);
    const { status, headers, body } = await own('PATCH', pathOf(await addJob()), { body: {} });
    equal(status, 405);
    deepEqual(headers.get('allow')?.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'PUT']);
    equal(body.status, 405);
    equal((await own('DELETE', jobs)).headers.get('allow'), 'POST, GET, HEAD');
    equal((await own('GET', '/nothing')).status, 404);
  },
  'RFC 9110, section 9.3.2: HEAD is GET without the body': async (origin) => {
    const { own, addJob } = await workshop(origin);
    const made = await addJob();
    const [got, head] = [await own('GET', pathOf(made)), await own('HEAD', pathOf(made))];
    equal(head.status, 200);
    equal(head.body, undefined);
    for (const name of ['etag', 'content-type', 'content-length'])
      equal(head.headers.get(name), got.headers.get(name), name);
  },
  'RFC 9110, section 15.3.5: nothing comes behind a 204': async (origin) => {
    const { addJob } = await workshop(origin);
    const made = await addJob();
    const bytes = await askBytes(origin, [`DELETE ${pathOf(made)} HTTP/1.1`, `X-Api-Key: ${first}`]);
    match(bytes, /^HTTP\/1\.1 204 [\s\S]*\r\n\r\n$/);
  },
  'RFC 9110, section 15.5.2: without a good key every operation is a 401 with a challenge': async (
    origin,
  ) => {
    const { addJob, jobs } = await workshop(origin);
    const path = pathOf(await addJob());
    for (const key of ['', 'wrong', `${first}x`]) {
      const asked = client(origin, key);
      for (const [method, target] of [
        ...[
          ['GET', jobs],
          ['POST', jobs],
          ['GET', path],
          ['PUT', path],
          ['DELETE', path],
        ],
        ...[
          ['POST', `${path}/invoice`],
          ['GET', `/invoices/${randomUUID()}`],
          ['GET', '/workshops'],
        ],
      ]) {
        const { status, headers } = await asked(method ?? '', target ?? '');
        equal(status, 401);
        match(headers.get('www-authenticate') ?? '', /^ApiKey /);
        equal(headers.get('content-type'), 'application/problem+json');
      }
    }
  },
};

tryBehaviours(
  { ...conditions, ...shallowJobs, ...members, ...lists, ...invoices, ...http },
  Object.keys(repairFaults),
  (scope, fault) => startRepairs(scope, { keys: [first, second], fault: fault as RepairFault | undefined }),
);
