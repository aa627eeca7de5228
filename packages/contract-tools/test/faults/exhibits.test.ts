import { deepEqual, equal, match } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CallOptions } from '../../../kit/testing.js';
import { type ExhibitFault, exhibitFaults } from '../../faults/models/exhibits/faults.js';
import { startExhibits } from '../../faults/models/exhibits/server.js';
import { type Answer as AnswerOf, ask, askBytes, type Behaviours, tryBehaviours } from './behaviours.js';

const museums = [
  { user: 'north', password: 'one:two', kiosk: 'kiosk-of-north' },
  { user: 'south', password: 'three', kiosk: 'kiosk-of-south' },
] as const;
const [north, south] = museums;

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** The members that the tests read: of exhibits, halls and problems. */
interface Told {
  readonly inventoryNumber: string;
  readonly title: string;
  readonly artist?: string;
  readonly tags: readonly string[];
  readonly hall: string;
  readonly status: number;
  readonly problem: Told;
}
type Answer<Body = Told> = AnswerOf<Body>;

function client(origin: string, authorization: string) {
  return <Body = Told>(
    method: string,
    path: string,
    { headers, ...options }: CallOptions = {},
  ): Promise<Answer<Body>> =>
    ask(origin, method, path, { ...options, headers: { authorization, ...headers } });
}

function clients(origin: string) {
  const own = client(origin, basic(north.user, north.password));
  const other = client(origin, basic(south.user, south.password));
  const add = async (members: object = {}): Promise<Answer> => {
    const body = {
      inventoryNumber: `x${randomUUID().slice(9)}`,
      title: 'Axe',
      material: 'stone',
      ...members,
    };
    return own('POST', '/exhibits', { body });
  };
  const patch = (item: string, body: unknown, type = 'application/merge-patch+json'): Promise<Answer> =>
    own('PATCH', item, { body: JSON.stringify(body), headers: { 'content-type': type } });
  /** Removes everything, so that a list holds only what a behaviour adds. */
  const clear = async (): Promise<void> => {
    for (const one of [own, other]) {
      const { body } = await one<Told[]>('GET', '/exhibits?limit=100');
      for (const { inventoryNumber } of body) await one('DELETE', pathOf(inventoryNumber));
    }
  };
  return { own, other, add, patch, clear };
}

const pathOf = (number: string): string => `/exhibits/${encodeURIComponent(number)}`;
const itemOf = ({ body }: Answer): string => pathOf(body.inventoryNumber);
const numbersOf = ({ body }: Answer<readonly Told[]>): string[] =>
  body.map(({ inventoryNumber }) => inventoryNumber);

const patches: Behaviours = {
  'RFC 7396, section 2: a patch keeps what it does not name': async (origin) => {
    const { own, add, patch } = clients(origin);
    const made = await add({ artist: 'Ada', year: -200, tags: ['old'], dimensions: { height: 3, width: 4 } });
    const changed = await patch(itemOf(made), { title: 'Hammer' });
    equal(changed.status, 200);
    deepEqual(changed.body, { ...made.body, title: 'Hammer' });
    deepEqual((await own('GET', itemOf(made))).body, changed.body);
  },
  'RFC 7396, section 2: null takes a member away, also in an object': async (origin) => {
    const { own, add, patch } = clients(origin);
    const made = await add({ artist: 'Ada', year: -200, dimensions: { height: 3, width: 4 } });
    await patch(itemOf(made), { artist: null, year: null, dimensions: { width: null, depth: 5 } });
    const { artist, ...rest } = made.body;
    const expected = { ...rest, year: null, dimensions: { height: 3, depth: 5 } };
    deepEqual((await own('GET', itemOf(made))).body, expected);
  },
  'RFC 7396, section 2: a list is replaced as a whole': async (origin) => {
    const { add, patch } = clients(origin);
    const made = await add({ tags: ['old', 'sharp'] });
    deepEqual((await patch(itemOf(made), { tags: ['new'] })).body.tags, ['new']);
  },
  'RFC 5789, section 2: a patch that is refused changes nothing': async (origin) => {
    const { own, add, patch } = clients(origin);
    const made = await add();
    for (const wrong of [{ title: 'Hammer', year: 9999 }, { title: null }, { title: 'Hammer', hall: 'none' }])
      equal((await patch(itemOf(made), wrong)).status, 422, JSON.stringify(wrong));
    deepEqual((await own('GET', itemOf(made))).body, made.body);
  },
  'a patch is application/merge-patch+json, and nothing else': async (origin) => {
    const { add, patch } = clients(origin);
    const made = await add();
    equal((await patch(itemOf(made), { title: 'Saw' }, 'application/json')).status, 415);
    equal((await patch(itemOf(made), { title: 'Saw' })).status, 200);
  },
};

/** Adds seven exhibits, three of wood and two on display, in no order. */
async function seven(origin: string) {
  const { own, other, add, clear } = clients(origin);
  await clear();
  for (const [index, inventoryNumber] of [...'dbgface'].entries())
    await add({ inventoryNumber, material: index % 2 === 1 ? 'wood' : 'metal', onDisplay: index > 4 });
  const body = { inventoryNumber: 'foreign', title: 'Axe', material: 'wood' };
  equal((await other('POST', '/exhibits', { body })).status, 201);
  const list = (query: string) => own<Told[]>('GET', `/exhibits?${query}`);
  return { own, other, list };
}

/** Follows rel="next" of RFC 8288. */
async function pagesFrom(origin: string, path: string, authorization: string): Promise<Answer<Told[]>[]> {
  const pages: Answer<Told[]>[] = [];
  for (let next: string | undefined = path; next !== undefined && pages.length < 20; ) {
    const page: Answer<Told[]> = await client(origin, authorization)('GET', next);
    equal(page.status, 200);
    pages.push(page);
    const link = page.headers.get('link');
    next = link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1];
    equal(link === null, next === undefined, `a Link that leads nowhere: ${link}`);
  }
  return pages;
}

const lists: Behaviours = {
  'RFC 8288: the pages hold each exhibit once, in order, and the last has no next': async (origin) => {
    await seven(origin);
    const pages = await pagesFrom(origin, '/exhibits?limit=3', basic(north.user, north.password));
    deepEqual(
      pages.map((page) => numbersOf(page).join('')),
      ['abc', 'def', 'g'],
    );
    deepEqual(
      pages.map(({ headers }) => headers.get('x-total-count')),
      ['7', '7', '7'],
    );
  },
  'a cursor holds while exhibits come and go': async (origin) => {
    const { own, list } = await seven(origin);
    const link = (await list('limit=3')).headers.get('link') ?? '';
    await own('DELETE', pathOf('c'));
    await own('DELETE', pathOf('d'));
    deepEqual(numbersOf(await own<Told[]>('GET', /<(.+)>/.exec(link)?.[1] ?? '')), ['e', 'f', 'g']);
    equal((await list('cursor=nonsense')).status, 400);
  },
  'filters hold on all pages, and in the count': async (origin) => {
    const { list } = await seven(origin);
    const authorization = basic(north.user, north.password);
    const wooden = await pagesFrom(origin, '/exhibits?material=wood&limit=2', authorization);
    deepEqual(
      wooden.map((page) => numbersOf(page).join('')),
      ['bc', 'f'],
    );
    deepEqual(
      wooden.map(({ headers }) => headers.get('x-total-count')),
      ['3', '3'],
    );
    deepEqual(numbersOf(await list('onDisplay=true')), ['c', 'e']);
    deepEqual(numbersOf(await list('onDisplay=false')), ['a', 'b', 'd', 'f', 'g']);
    equal((await list('onDisplay=perhaps')).status, 400);
  },
};

const textIds: Behaviours = {
  'a number may have spaces, and its case counts': async (origin) => {
    const { own, add, clear } = clients(origin);
    await clear();
    const made = await add({ inventoryNumber: 'A 12._-x' });
    equal(made.headers.get('location'), '/exhibits/A%2012._-x');
    deepEqual((await own('GET', '/exhibits/A%2012._-x')).body, made.body);
    equal((await own('GET', '/exhibits/a%2012._-x')).status, 404);
    equal((await add({ inventoryNumber: 'a 12._-x' })).status, 201);
  },
  'a number that is taken is a 409, and the exhibit stays': async (origin) => {
    const { own, add } = clients(origin);
    const made = await add();
    const { inventoryNumber } = made.body;
    equal((await add({ inventoryNumber, title: 'Copy' })).status, 409);
    deepEqual((await own('GET', itemOf(made))).body, made.body);
  },
  'another museum has numbers of its own, and no way to this one': async (origin) => {
    const { own, other, add, clear } = clients(origin);
    await clear();
    const made = await add();
    const headers = { 'content-type': 'application/merge-patch+json' };
    equal((await other('GET', itemOf(made))).status, 404);
    equal((await other('PATCH', itemOf(made), { body: { title: 'Mine' }, headers })).status, 404);
    equal((await other('DELETE', itemOf(made))).status, 404);
    deepEqual((await other('GET', '/exhibits')).body, []);
    equal((await other('POST', '/exhibits', { body: made.body })).status, 201);
    equal((await other('DELETE', itemOf(made))).status, 204);
    deepEqual((await own('GET', itemOf(made))).body, made.body);
  },
  'a removed exhibit is gone': async (origin) => {
    const { own, add, clear } = clients(origin);
    await clear();
    const made = await add();
    equal((await own('DELETE', itemOf(made))).status, 204);
    equal((await own('DELETE', itemOf(made))).status, 404);
    deepEqual((await own('GET', '/exhibits')).body, []);
  },
};

const bulk: Behaviours = {
  'each exhibit of a bulk is added or refused on its own, in their order': async (origin) => {
    const { own, add, clear } = clients(origin);
    await clear();
    await add({ inventoryNumber: 'there' });
    const items = ['one', 'there', 'two', 'two', 'three', 'last'].map((inventoryNumber) => ({
      ...{ inventoryNumber, title: 'New', material: 'paper' },
      ...(inventoryNumber === 'three' && { hall: 'no-such-hall' }),
    }));
    const { status, body } = await own<Told[]>('POST', '/bulk/exhibits', { body: items });
    equal(status, 207);
    const told = body.map((one) => [one.inventoryNumber, one.status]);
    deepEqual(told, [
      ...[
        ['one', 201],
        ['there', 409],
        ['two', 201],
        ['two', 409],
        ['three', 422],
        ['last', 201],
      ],
    ]);
    equal(body[1]?.problem.status, 409);
    deepEqual(numbersOf(await own<Told[]>('GET', '/exhibits')), ['last', 'one', 'there', 'two']);
    equal((await own('GET', '/exhibits/there')).body.title, 'Axe');
  },
  'a bulk that does not fit the schema is a 422': async (origin) => {
    const { own } = clients(origin);
    const one = { inventoryNumber: 'fits', title: 'New', material: 'paper' };
    const many = Array.from({ length: 9 }, (_, index) => ({ ...one, inventoryNumber: `fits${index}` }));
    for (const body of [[], many, [one, { ...one, title: '' }], {}])
      equal((await own('POST', '/bulk/exhibits', { body })).status, 422);
    equal((await own('GET', '/exhibits/fits')).status, 404);
  },
};

const halls: Behaviours = {
  'RFC 9110, section 9.3.4: a PUT makes a hall with a 201, and replaces it with a 200': async (origin) => {
    const { own, other } = clients(origin);
    await own('DELETE', '/halls/stone-age');
    const made = await own('PUT', '/halls/stone-age', { body: { floor: -1, isHeated: false } });
    equal(made.status, 201);
    const replaced = await own('PUT', '/halls/stone-age', { body: { floor: 2 } });
    equal(replaced.status, 200);
    deepEqual(replaced.body, { hall: 'stone-age', floor: 2, isHeated: true });
    deepEqual((await own('GET', '/halls')).body, [replaced.body]);
    equal((await other('GET', '/halls/stone-age')).status, 404);
    equal((await own('PUT', '/halls/Stone', { body: { floor: 2 } })).status, 400);
  },
  'an exhibit stands in a hall of its own museum': async (origin) => {
    const { own, other, add } = clients(origin);
    await own('PUT', '/halls/mine', { body: { floor: 0 } });
    await other('PUT', '/halls/theirs', { body: { floor: 0 } });
    for (const hall of ['theirs', 'of-nobody']) equal((await add({ hall })).status, 422, hall);
    const made = await add({ hall: 'mine' });
    equal(made.body.hall, 'mine');
    equal((await own('DELETE', '/halls/mine')).status, 409);
    await own('DELETE', itemOf(made));
    equal((await own('DELETE', '/halls/mine')).status, 204);
  },
};

const bodies: Behaviours = {
  'a body that does not fit is a 422': async (origin) => {
    const { add } = clients(origin);
    const wrong = [
      { title: 'x'.repeat(201) },
      { material: 'glass' },
      { year: 2.5 },
      { year: -5001 },
      { artist: null },
      { tags: Array(11).fill('x') },
      { inventoryNumber: ' x' },
      { dimensions: { height: 0 } },
    ];
    for (const one of wrong) {
      const { status, headers, body } = await add(one);
      equal(status, 422, JSON.stringify(one));
      equal(headers.get('content-type'), 'application/problem+json');
      equal(body.status, 422);
    }
  },
  'members that the document does not name are ignored, and what is unknown is null': async (origin) => {
    const { add } = clients(origin);
    const made = await add({ colour: 'red' });
    equal(made.status, 201);
    const { inventoryNumber, ...rest } = made.body;
    deepEqual(rest, { title: 'Axe', material: 'stone', onDisplay: false, year: null, hall: null });
  },
};

const http: Behaviours = {
  'RFC 9110, section 15.5.6: a 405 says in Allow what there is': async (origin) => {
    const { own } = clients(origin);
    const { status, headers } = await own('PUT', '/exhibits/one', { body: {} });
    equal(status, 405);
    deepEqual(headers.get('allow')?.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'PATCH']);
  },
  'RFC 9110, section 9.3.2: HEAD is GET without the body': async (origin) => {
    const { own, add } = clients(origin);
    const made = await add();
    const [got, head] = [await own('GET', itemOf(made)), await own('HEAD', itemOf(made))];
    equal(head.status, 200);
    equal(head.headers.get('content-length'), got.headers.get('content-length'));
    equal((await own('HEAD', '/exhibits/of-nobody')).status, 404);
  },
  'RFC 9110, section 15.3.5: nothing comes behind a 204': async (origin) => {
    const { add } = clients(origin);
    const item = itemOf(await add());
    const authorization = `Authorization: ${basic(north.user, north.password)}`;
    match(
      await askBytes(origin, [`DELETE ${item} HTTP/1.1`, authorization]),
      /^HTTP\/1\.1 204 [\s\S]*\r\n\r\n$/,
    );
  },
};

const credentials: Behaviours = {
  'RFC 7617: the password counts to its end, and the word Basic in any case': async (origin) => {
    const { add } = clients(origin);
    const item = itemOf(await add());
    const right = basic(north.user, north.password);
    equal((await client(origin, right.replace('Basic', 'bAsIc'))('GET', item)).status, 200);
    const wrong = [
      basic('north', 'one'),
      basic('north', 'one:three'),
      basic('north', ''),
      basic('', 'one:two'),
      'Basic !',
    ];
    for (const authorization of [...wrong, basic(south.user, north.password)]) {
      for (const method of ['GET', 'DELETE', 'PATCH']) {
        const { status, headers } = await client(origin, authorization)(method, item);
        equal(status, 401, authorization);
        match(headers.get('www-authenticate') ?? '', /^Basic realm="/);
      }
    }
  },
  'the token of a kiosk reads what belongs to its museum, and changes nothing': async (origin) => {
    const { add } = clients(origin);
    const item = itemOf(await add());
    const kiosk = client(origin, `Bearer ${north.kiosk}`);
    equal((await kiosk('GET', item)).status, 200);
    equal((await kiosk('GET', '/exhibits')).status, 200);
    const headers = { 'content-type': 'application/merge-patch+json' };
    equal((await kiosk('PATCH', item, { body: { title: 'Saw' }, headers })).status, 401);
    equal((await kiosk('DELETE', item)).status, 401);
    equal((await client(origin, `Bearer ${south.kiosk}`)('GET', item)).status, 404);
    equal((await client(origin, 'Bearer wrong')('GET', '/exhibits')).status, 401);
  },
};

tryBehaviours(
  { ...patches, ...lists, ...textIds, ...bulk, ...halls, ...bodies, ...http, ...credentials },
  Object.keys(exhibitFaults),
  (scope, fault) => startExhibits(scope, museums, fault as ExhibitFault | undefined),
);
