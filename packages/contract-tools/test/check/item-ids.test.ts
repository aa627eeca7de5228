import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { type Value, writeJson } from '../../src/values/json.js';
import { type Answered, checkServer, owners, textIn } from './json-server.js';

/** That a server may answer an id that is taken in more than one way, and that a failure is told whatever it answers to. */

// Each run takes part of a second on an idle machine.
t.setTimeout(600_000);

const yaml = `openapi: 3.0.3
info: { title: Plants, version: "1" }
security: [{ token: [] }]
paths:
  /plants:
    post:
      operationId: addPlant
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Plant" } } } }
      responses:
        "200": { description: It was there., content: { application/json: { schema: { $ref: "#/components/schemas/Plant" } } } }
        "201": { description: It is new., content: { application/json: { schema: { $ref: "#/components/schemas/Plant" } } } }
        "400": { description: It does not fit. }
        "401": { description: Nobody knows the caller. }
        "409": { description: The id is taken. }
        "422": { description: The store does not want it. }
  /plants/{plantId}:
    parameters: [{ name: plantId, in: path, required: true, schema: { type: string, pattern: "^[a-zA-Z]{8,40}$" } }]
    get:
      operationId: getPlant
      responses:
        "200": { description: It., content: { application/json: { schema: { $ref: "#/components/schemas/Plant" } } } }
        "400": { description: It does not fit. }
        "401": { description: Nobody knows the caller. }
        "404": { description: There is none. }
    delete:
      operationId: removePlant
      responses: { "204": { description: Gone. }, "400": { description: No. }, "401": { description: Nobody. }, "404": { description: There is none. } }
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas:
    Plant:
      type: object
      required: [plantId, name]
      properties: { plantId: { type: string, pattern: "^[a-zA-Z]{8,40}$" }, name: { type: string, maxLength: 60 } }
`;

interface Habits {
  /** Answers a create whose id the caller has, and may put the new plant in the place of the old one. */
  readonly taken?: (plant: Value, replace: () => void) => Answered;
  /** The status of a create whose id somebody else has; by default 201. */
  readonly takenByOther?: number;
  /** The status for an id that somebody has in other letters; by default 404. */
  readonly otherLetters?: number;
}

const conflict = (): Answered => ({ status: 409 });

async function checkPlants(
  scope: Scope,
  { taken = conflict, takenByOther = 201, otherLetters = 404 }: Habits,
) {
  const stores = new Map<string, Map<string, Value>>();
  for (const owner of Object.values(owners)) stores.set(owner, new Map());
  const storeOf = (caller: string) => stores.get(caller) ?? new Map<string, Value>();
  const isOthers = (caller: string, id: string): boolean =>
    [...stores].some(([owner, store]) => owner !== caller && store.has(id));
  return checkServer(scope, {
    ...{ yaml, rules: ['taken-ids', 'owner-ids', 'path-case'] },
    answers: {
      addPlant({ body, caller }) {
        const [id, store] = [textIn(body, 'plantId'), storeOf(caller)];
        if (store.has(id)) return taken(body, () => store.set(id, body));
        if (isOthers(caller, id) && takenByOther !== 201) return { status: takenByOther };
        store.set(id, body);
        return { status: 201, body };
      },
      getPlant({ id, caller }) {
        const store = storeOf(caller);
        const body = store.get(id);
        if (body !== undefined) return { status: 200, body };
        const isNear = [...store.keys()].some((known) => known.toLowerCase() === id.toLowerCase());
        return { status: isNear ? otherLetters : 404 };
      },
      removePlant: ({ id, caller }) => ({ status: storeOf(caller).delete(id) ? 204 : 404 }),
    },
  });
}

const right: Readonly<Record<string, Habits>> = {
  'refuses it with 409': {},
  'refuses it with 422': { taken: () => ({ status: 422 }) },
  'answers 200 and replaces': {
    taken: (body, replace) => {
      replace();
      return { status: 200, body };
    },
  },
};

for (const [does, habits] of Object.entries(right)) {
  t.test(`check:contract finds nothing in a create whose id is taken and that ${does}`, async (t) => {
    t.same((await checkPlants(t, habits)).found, []);
  });
}

const wrong: Readonly<Record<string, readonly [Habits, string]>> = {
  'a create with an id that is taken answers 201': [
    { taken: (body) => ({ status: 201, body }) },
    'addPlant: an id that is taken is created again',
  ],
  'a create with an id that is taken answers 409, and replaces': [
    {
      taken: (_, replace) => {
        replace();
        return { status: 409 };
      },
    },
    'addPlant: an id that is taken is created again',
  ],
  'a create with an id that is taken fails': [
    { taken: () => ({ status: 500 }) },
    'addPlant: status 500 is not documented',
  ],
  'a create with an id of another owner fails': [
    { takenByOther: 500 },
    'addPlant: status 500 is not documented',
  ],
  'a GET of an id in other letters fails': [{ otherLetters: 500 }, 'getPlant: status 500 is not documented'],
};

for (const [fault, [habits, finding]] of Object.entries(wrong)) {
  t.test(`check:contract finds that ${fault}`, async (t) => {
    t.same((await checkPlants(t, habits)).found, [finding]);
  });
}

const shelf =
  '{ content: { application/json: { schema: { $ref: "#/components/schemas/Shelf" } } }, description: It. }';
const shelves = `openapi: 3.0.3
info: { title: Shelves, version: "1" }
paths:
  /shelves/{number}:
    parameters: [{ name: number, in: path, required: true, schema: { type: integer, format: int64, minimum: 1 } }]
    put:
      operationId: putShelf
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Shelf" } } } }
      responses: { "200": ${shelf}, "201": ${shelf}, "400": { description: It does not fit. } }
    get:
      operationId: getShelf
      responses: { "200": ${shelf}, "400": { description: No. }, "404": { description: There is none. } }
    delete:
      operationId: removeShelf
      responses: { "204": { description: Gone. }, "400": { description: No. }, "404": { description: There is none. } }
components:
  schemas:
    Shelf: { type: object, required: [label], properties: { label: { type: string, maxLength: 60 } } }
`;

/** @param numberOf the number that a text in the path means */
function shelvesOf(
  numberOf: (text: string) => string,
  again: (body: Value) => Answered = (body) => ({ status: 200, body }),
) {
  const kept = new Map<string, Value>([['1', { label: 'of somebody else' }]]);
  const answers = {
    putShelf({ id, body }: { id: string; body: Value }): Answered {
      const number = numberOf(id);
      const isNew = !kept.has(number);
      kept.set(number, body);
      return isNew ? { status: 201, body } : again(body);
    },
    getShelf({ id }: { id: string }): Answered {
      const body = kept.get(numberOf(id));
      return body === undefined ? { status: 404 } : { status: 200, body };
    },
    removeShelf: ({ id }: { id: string }): Answered => ({ status: kept.delete(numberOf(id)) ? 204 : 404 }),
  };
  return { kept, answers };
}

t.test('check:contract leaves the item of somebody else alone if a PUT takes "1x" for 1', async (t) => {
  const { kept, answers } = shelvesOf((text) => /[0-9]+/.exec(text)?.[0].replace(/^0+(?=.)/, '') ?? text);
  const { found } = await checkServer(t, { yaml: shelves, rules: [], answers, takesAnyPath: true });
  t.match(found.join('\n'), /^putShelf: /m, 'the broken numbers are found');
  t.same(writeJson(kept.get('1') ?? null), '{"label":"of somebody else"}');
});

t.test('check:contract finds a PUT that fails if the item is there', async (t) => {
  const { answers } = shelvesOf(
    (text) => text,
    () => ({ status: 500 }),
  );
  const { found } = await checkServer(t, { yaml: shelves, rules: [], answers });
  t.same(found, ['putShelf: status 500 is not documented']);
});
