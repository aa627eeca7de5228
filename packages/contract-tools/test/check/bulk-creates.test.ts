import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { isArray, isObject, type Value } from '../../src/values/json.js';
import { type Answered, checkServer, textIn } from './json-server.js';

/** That a create of many may have another form than a list of outcomes with a status, and is not blamed for it. */

// Each run takes part of a second on an idle machine.
t.setTimeout(600_000);

const answered = (schema: string): string =>
  `{ description: What became of them., content: { application/json: { schema: ${schema} } } }`;
const listOf = (item: string): string => `{ type: array, items: ${item} }`;
const outcome =
  '{ type: object, required: [plantId], properties: { plantId: { type: string }, status: { type: integer } } }';
const newPlants = '{ type: array, items: { $ref: "#/components/schemas/NewPlant" } }';

interface Form {
  /** The path of the operation that takes many. */
  readonly path: string;
  readonly body?: string;
  readonly responses: Readonly<Record<string, string>>;
  /** Answers a list, which `add` makes, each with 201 or 409. */
  readonly answer: (list: readonly Value[], add: (plant: Value) => number) => Answered;
  /** The status of a create whose id is taken. */
  readonly taken?: number;
}

const yamlOf = ({ path, body = newPlants, responses }: Form): string => `openapi: 3.0.3
info: { title: Plants, version: "1" }
paths:
  /plants:
    post:
      operationId: addPlant
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewPlant" } } } }
      responses:
        "201": { description: It., content: { application/json: { schema: { $ref: "#/components/schemas/NewPlant" } } } }
        "400": { description: It does not fit. }
        "409": { description: The id is taken. }
  ${path}:
    post:
      operationId: addPlants
      requestBody: { required: true, content: { application/json: { schema: ${body} } } }
      responses:
        "400": { description: It does not fit. }
${Object.entries(responses)
  .map(([status, response]) => `        "${status}": ${response}\n`)
  .join('')}
  /plants/{plantId}:
    parameters: [{ name: plantId, in: path, required: true, schema: { type: string, pattern: "^[a-z]{20}$" } }]
    get:
      operationId: getPlant
      responses:
        "200": { description: It., content: { application/json: { schema: { $ref: "#/components/schemas/NewPlant" } } } }
        "400": { description: It does not fit. }
        "404": { description: There is none. }
    delete:
      operationId: removePlant
      responses: { "204": { description: Gone. }, "400": { description: No. }, "404": { description: There is none. } }
components:
  schemas:
    NewPlant:
      type: object
      required: [plantId, name]
      properties: { plantId: { type: string, pattern: "^[a-z]{20}$" }, name: { type: string, maxLength: 60 } }
`;

async function checkForm(scope: Scope, form: Form) {
  const plants = new Map<string, Value>();
  const add = (plant: Value): number => {
    const id = textIn(plant, 'plantId');
    if (plants.has(id)) return 409;
    plants.set(id, plant);
    return 201;
  };
  const known = (id: string): Answered => {
    const body = plants.get(id);
    return body === undefined ? { status: 404 } : { status: 200, body };
  };
  return checkServer(scope, {
    ...{ yaml: yamlOf(form), rules: ['bulk'] },
    answers: {
      addPlant: ({ body }) => {
        const status = add(body);
        return status === 201 ? { status, body } : { status: form.taken ?? status };
      },
      getPlant: ({ id }) => known(id),
      removePlant: ({ id }) => ({ status: plants.delete(id) ? 204 : 404 }),
      addPlants: ({ body }) => form.answer(listIn(body), add),
    },
  });
}

/** The list of a body, which may have it as a member. */
function listIn(body: Value): readonly Value[] {
  if (isArray(body)) return body;
  return isObject(body) ? (Object.values(body).find(isArray) ?? []) : [];
}

const told = (list: readonly Value[], add: (plant: Value) => number): Value =>
  list.map((plant) => ({ plantId: textIn(plant, 'plantId'), status: BigInt(add(plant)) }));

const idsOf = (list: readonly Value[]): Value => list.map((plant) => ({ plantId: textIn(plant, 'plantId') }));

const withStatus = { '207': answered(listOf(outcome)) };
const withoutStatus = {
  '200': answered(listOf('{ type: object, properties: { plantId: { type: string } } }')),
};

/** Takes lists of new plants. The list with an id that is taken is longer. */
const upToTwo =
  (status: number): Form['answer'] =>
  (list, add) =>
    list.length > 2 ? { status } : { status: 207, body: told(list, add) };

const right: Readonly<Record<string, Form>> = {
  'tells a status of each': {
    path: '/plants/bulk',
    responses: withStatus,
    answer: (list, add) => ({ status: 207, body: told(list, add) }),
  },
  'needs another member beside the list': {
    path: '/plants/bulk',
    body: `{ type: object, required: [source, plants], properties: { source: { type: string, enum: [shop] }, plants: ${newPlants} } }`,
    responses: withStatus,
    answer: (list, add) => ({ status: 207, body: told(list, add) }),
  },
  'lists the failures only': {
    path: '/plants/import',
    responses: {
      '200': answered(
        `{ type: object, properties: { imported: { type: integer }, errors: ${listOf(outcome)} } }`,
      ),
    },
    answer: (list, add) => {
      const failed = list.filter((plant) => add(plant) !== 201);
      return { status: 200, body: { imported: BigInt(list.length - failed.length), errors: idsOf(failed) } };
    },
  },
  'answers the list of failures': {
    path: '/plants/import',
    responses: { '200': answered(listOf(outcome)) },
    answer: (list, add) => ({ status: 200, body: idsOf(list.filter((plant) => add(plant) !== 201)) }),
  },
  'tells prices': {
    path: '/plants/price',
    responses: { '200': answered(listOf('{ type: object, properties: { price: { type: integer } } }')) },
    answer: (list) => ({ status: 200, body: list.map(() => ({ price: 3n })) }),
  },
  'validates and makes nothing': {
    path: '/plants/validate',
    responses: withoutStatus,
    answer: (list) => ({ status: 200, body: idsOf(list) }),
  },
  'makes the items later': {
    path: '/plants/bulk',
    responses: { '202': answered(listOf(outcome)) },
    answer: (list) => ({ status: 202, body: idsOf(list) }),
  },
  'has a quota that is used up': {
    path: '/plants/bulk',
    responses: { ...withStatus, '429': '{ description: Too many. }' },
    answer: upToTwo(429),
  },
  'takes one item at a time': {
    path: '/plants/bulk',
    body: newPlants.replace('type: array', 'type: array, maxItems: 1'),
    responses: withStatus,
    answer: (list, add) => ({ status: 207, body: told(list, add) }),
  },
};

for (const [does, form] of Object.entries(right)) {
  t.test(`check:contract finds nothing in a create of many that ${does}`, async (t) => {
    const { found, notes } = await checkForm(t, form);
    t.same(found, []);
    const isTooLong = /a list of 2 items does not fit/.test(notes);
    t.equal(isTooLong, does === 'takes one item at a time', 'what was not tried is named');
  });
}

const wrong: Readonly<Record<string, readonly [Form, string]>> = {
  'refuses a whole list, although each item has a status': [
    {
      path: '/plants/bulk',
      responses: { ...withStatus, '409': '{ description: An id is taken. }' },
      answer: upToTwo(409),
    },
    'addPlants: one item that is refused makes the whole list fail',
  ],
  'loses the last item, and tells no status': [
    {
      path: '/plants/bulk',
      responses: withoutStatus,
      answer: (list, add) => {
        for (const plant of list.slice(0, -1)) add(plant);
        return { status: 200, body: idsOf(list) };
      },
    },
    'addPlants: an item that is told as made is not there',
  ],
  'loses all items, and says that they are created': [
    {
      path: '/plants/bulk',
      responses: { '201': answered(listOf(outcome)) },
      answer: (list) => ({ status: 201, body: idsOf(list) }),
    },
    'addPlants: an item that is told as made is not there',
  ],
  'tells of fewer items than were sent': [
    {
      path: '/plants/bulk',
      responses: withStatus,
      answer: (list, add) => ({ status: 207, body: told(list.slice(0, 1), add) }),
    },
    'addPlants: an item has no outcome',
  ],
  'stands beside a create that fails for an id that is taken': [
    {
      ...{ path: '/plants/bulk', responses: withStatus, taken: 500 },
      answer: (list, add) => ({ status: 207, body: told(list, add) }),
    },
    'addPlant: status 500 is not documented',
  ],
};

for (const [does, [form, finding]] of Object.entries(wrong)) {
  t.test(`check:contract finds a create of many that ${does}`, async (t) => {
    t.same((await checkForm(t, form)).found, [finding]);
  });
}
