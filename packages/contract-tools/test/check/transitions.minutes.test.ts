import t, { type Test } from 'tap';
import { isArray, isObject, type Value, type ValueObject } from '../../src/values/json.js';
import { type Answered, checkServer } from './json-server.js';

/** That updates are tried from one value of a member to another. */

t.setTimeout(600_000);

const schema = (name: string): string =>
  `{ application/json: { schema: { $ref: '#/components/schemas/${name}' } } }`;
const yaml = `openapi: 3.0.3
info: { title: Rooms, version: "1" }
paths:
  /rooms:
    post:
      operationId: addRoom
      requestBody: { required: true, content: ${schema('NewRoom')} }
      responses: { "201": { description: Made., content: ${schema('Room')} }, "400": { description: Refused. } }
  /rooms/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    get:
      operationId: getRoom
      responses: { "200": { description: One., content: ${schema('Room')} }, "400": { description: No id. }, "404": { description: None. } }
    put:
      operationId: putRoom
      requestBody: { required: true, content: ${schema('NewRoom')} }
      responses: { "200": { description: It., content: ${schema('Room')} }, "400": { description: Refused. }, "404": { description: None. } }
    patch:
      operationId: changeRoom
      requestBody: { required: true, content: ${schema('RoomChange')} }
      responses:
        "200": { description: It., content: ${schema('Room')} }
        "400": { description: Refused. }
        "404": { description: None. }
        "409": { description: The state does not allow it. }
    delete:
      operationId: removeRoom
      responses: { "204": { description: Gone. }, "400": { description: No id. }, "404": { description: None. } }
components:
  schemas:
    NewRoom:
      type: object
      required: [title]
      properties: &members
        title: { type: string, maxLength: 50 }
        note: { type: string, maxLength: 50, nullable: true }
        projector: { type: boolean }
        seats: { type: integer, minimum: 0, maximum: 500 }
        tags: { type: array, maxItems: 5, items: { type: string, enum: [quiet, large] } }
        labels: { type: object, additionalProperties: { type: string, maxLength: 50, nullable: true } }
    RoomChange: { type: object, minProperties: 1, properties: { <<: *members, state: { type: string, enum: [free, closed] }, made: { type: string, readOnly: true }, hours: &hours { type: object, properties: { from: { type: integer, minimum: 0, maximum: 24 }, to: { type: integer, minimum: 0, maximum: 24 } } } } }
    Room: { type: object, required: [id, title], properties: { <<: *members, state: { type: string, enum: [free, closed] }, made: { type: string, readOnly: true }, hours: *hours, id: { type: integer } } }
`;

type Change = (room: ValueObject, body: ValueObject) => ValueObject;

const replace: Change = ({ id = 0n, state = 'free', made = 'now' }, body) => ({
  ...{ ...body, state, made, id },
});
const change: Change = (room, { made: _, ...body }) => ({ ...room, ...body });

/** Keeps the old value if the new one is one that JavaScript takes for false. */
const whatIsThere: Change = (room, { made: _, ...body }) => {
  const given = Object.entries(body).filter(([, value]) => Boolean(value));
  return { ...room, ...Object.fromEntries(given) };
};

/** RFC 7396. */
const merge: Change = (room, { labels: changed = {}, hours = {}, ...body }) => {
  const labels = isObject(room['labels']) ? room['labels'] : {};
  const given = isObject(changed) ? Object.entries({ ...labels, ...changed }) : [];
  const open = isObject(room['hours']) ? room['hours'] : {};
  return {
    ...change(room, body),
    labels: Object.fromEntries(given.filter(([, label]) => label !== null)),
    hours: { ...open, ...(isObject(hours) ? hours : {}) },
  };
};

interface Habits {
  readonly put?: Change;
  readonly patch?: Change;
  readonly mayReopen?: boolean;
  /** Whether a room that is free is closed again before anybody looks at it. */
  readonly closesAgain?: boolean;
  readonly mediaType?: string;
}

function checked(
  t: Test,
  {
    put = replace,
    patch = change,
    mayReopen = true,
    closesAgain = false,
    mediaType = 'application/json',
  }: Habits,
) {
  const rooms = new Map<string, ValueObject>();
  let count = 0;
  const store = (id: string, make: (room: ValueObject) => ValueObject): Answered => {
    const room = rooms.get(id);
    if (room === undefined) return { status: 404 };
    rooms.set(id, make(room));
    return { status: 200, body: make(room) };
  };
  const objectOf = (body: Value): ValueObject => (isObject(body) ? body : {});
  return checkServer(t, {
    yaml: yaml.replace(
      "{ application/json: { schema: { $ref: '#/components/schemas/RoomChange'",
      `{ ${mediaType}: { schema: { $ref: '#/components/schemas/RoomChange'`,
    ),
    rules: ['updates'],
    answers: {
      addRoom: ({ body }) => {
        const room = { ...objectOf(body), id: BigInt(++count), state: 'free', made: 'now' };
        rooms.set(String(count), room);
        return { status: 201, body: room };
      },
      getRoom: ({ id }) => store(id, (room) => room),
      putRoom: ({ id, body }) => store(id, (room) => put(room, objectOf(body))),
      changeRoom: ({ id, body }) => {
        const isReopened = rooms.get(id)?.['state'] === 'closed' && objectOf(body)['state'] === 'free';
        if (isReopened && !mayReopen) return { status: 409 };
        const answered = store(id, (room) => patch(room, objectOf(body)));
        if (isReopened && closesAgain) store(id, (room) => ({ ...room, state: 'closed' }));
        return answered;
      },
      removeRoom: ({ id }) => ({ status: rooms.delete(id) ? 204 : 404 }),
    },
  });
}

t.test('a right server is passed, and the report says which changes were tried', async (t) => {
  const { found, notes } = await checked(t, {});
  t.same(found, []);
  for (const words of [
    'projector true → false',
    'title "a" → ""',
    'seats 1 → 0',
    'tags ["quiet"] → []',
    'state "closed" → "free"',
  ])
    t.match(
      notes,
      new RegExp(`What changeRoom was asked to change: .*${words.replaceAll(/[[\]]/g, '\\$&')}`),
    );
  t.match(notes, /What putRoom was asked to change: .*note "a" → null → "a"/);
});

t.test('a server that refuses a step from one state to another is passed', async (t) => {
  const { found, notes } = await checked(t, { mayReopen: false });
  t.same(found, []);
  t.notMatch(notes, /"closed" → "free"/, 'a step that was refused is not called tried');
});

t.test('a server whose rooms change their state by themselves is passed', async (t) => {
  t.same((await checked(t, { closesAgain: true })).found, []);
});

const mediaType = 'application/merge-patch+json';

t.test('a merge patch of a map removes what is null, and keeps the rest', async (t) => {
  const rule = 'changeRoom: a merge patch does not do what RFC 7396 says';
  t.same((await checked(t, { mediaType, patch: merge })).found, []);
  const { found } = await checked(t, { mediaType, patch: change });
  t.ok(found.includes(rule), 'a map is replaced', { found });
  const keeps: Change = (room, { labels = {}, ...body }) => {
    const given = isObject(labels) ? Object.entries(labels).filter(([, label]) => label !== null) : [];
    return merge(room, { ...body, labels: Object.fromEntries(given) });
  };
  t.ok((await checked(t, { mediaType, patch: keeps })).found.includes(rule), 'null is ignored');
});

t.test('a merge patch keeps the members of an object that only patches can change', async (t) => {
  const rule = 'changeRoom: a merge patch does not do what RFC 7396 says';
  const replaces: Change = (room, { hours, ...body }) => ({
    ...merge(room, body),
    ...(hours !== undefined && { hours }),
  });
  t.same((await checked(t, { mediaType, patch: replaces })).found, [rule]);
});

const flaws: readonly {
  readonly name: string;
  readonly operation: string;
  readonly flaw: Parameters<typeof checked>[1];
}[] = [
  { name: 'a PATCH with ||', operation: 'changeRoom', flaw: { patch: whatIsThere } },
  {
    name: 'a PATCH that takes an empty list for none',
    operation: 'changeRoom',
    flaw: {
      patch: (room, { tags = [], ...body }) =>
        change(room, { ...body, ...(isArray(tags) && tags.length > 0 && { tags }) }),
    },
  },
  {
    name: 'a PUT that keeps what becomes null',
    operation: 'putRoom',
    flaw: {
      put: (room, body) => ({
        ...replace(room, body),
        ...(body['note'] === null && { note: room['note'] ?? null }),
      }),
    },
  },
];

for (const { name, operation, flaw } of flaws) {
  t.test(`a fault is found: ${name}`, async (t) => {
    const { found } = await checked(t, flaw);
    t.ok(found.includes(`${operation}: an update leaves a member as it was`), name, { found });
  });
}

t.test('a readOnly member is tried in a PATCH that needs one member', async (t) => {
  const { found } = await checked(t, { patch: (room, body) => ({ ...room, ...body }) });
  t.match(found, ['changeRoom: a readOnly member is taken from the client']);
});
