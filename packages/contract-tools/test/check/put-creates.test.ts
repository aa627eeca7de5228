import t, { type Test } from 'tap';
import { isObject, type Value } from '../../src/values/json.js';
import { type Answered, checkServer } from './json-server.js';

/** That a PUT with a 201 makes items (RFC 9110, section 9.3.4). */

// Each run takes part of a second on an idle machine.
t.setTimeout(600_000);

const shelf = '{ schema: { $ref: "#/components/schemas/Shelf" } }';
const yaml = `openapi: 3.0.3
info: { title: Shelves, version: "1" }
paths:
  /shelves:
    get:
      operationId: listShelves
      responses:
        "200":
          description: All.
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Shelf" } } } }
  /shelves/{name}:
    parameters: [{ name: name, in: path, required: true, schema: { type: string, pattern: "^[a-z]+$", maxLength: 20 } }]
    put:
      operationId: putShelf
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, required: [label], properties: { label: { type: string }, rows: { type: integer } } }
      responses:
        "200": { description: Replaced., content: { application/json: ${shelf} } }
        "201": { description: New., content: { application/json: ${shelf} } }
        "400": { description: It does not fit. }
    get:
      operationId: getShelf
      responses:
        "200": { description: It., content: { application/json: ${shelf} } }
        "400": { description: It does not fit. }
        "404": { description: There is none. }
    delete:
      operationId: removeShelf
      responses: { "204": { description: Gone. }, "400": { description: No. }, "404": { description: There is none. } }
components:
  schemas:
    Shelf:
      type: object
      required: [name, label]
      properties: { name: { type: string }, label: { type: string }, rows: { type: integer } }
`;

type Change = (status: number) => number;

/** @param change the status with which a PUT is answered instead of the right one */
function checkShelves(t: Test, change: Change = (status) => status) {
  const shelves = new Map<string, Value>();
  return checkServer(t, {
    yaml,
    rules: ['updates'],
    answers: {
      listShelves: () => ({ status: 200, body: [...shelves.values()] }),
      putShelf: ({ id, body }) => {
        const status = change(shelves.has(id) ? 200 : 201);
        const shelf = { ...(isObject(body) && body), name: id };
        shelves.set(id, shelf);
        return { status, body: shelf };
      },
      getShelf: ({ id }) => shown(shelves.get(id)),
      removeShelf: ({ id }) => ({ status: shelves.delete(id) ? 204 : 404 }),
    },
  });
}

function shown(shelf: Value | undefined): Answered {
  return shelf === undefined ? { status: 404 } : { status: 200, body: shelf };
}

t.test('check:contract makes the items of a collection by PUT, and removes them', async (t) => {
  const { found, unreached, notes } = await checkShelves(t);
  t.same(found, []);
  t.same(unreached, []);
  t.notMatch(notes, /still there|Not taken for a collection/);
});

const faults: Readonly<Record<string, readonly [Change, string]>> = {
  'a new item that is answered as an old one': [
    () => 200,
    'putShelf: a new item is answered as one that was there',
  ],
  'an old item that is answered as a new one': [
    () => 201,
    'putShelf: an item that was there is answered as new',
  ],
};

for (const [fault, [change, finding]] of Object.entries(faults)) {
  t.test(`check:contract finds ${fault}`, async (t) => {
    t.same((await checkShelves(t, change)).found, [finding]);
  });
}
