import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeLog } from '../../../../src/log/log.js';
import { check } from '../../check/check.js';
import { readDocument } from '../../document/read-document.js';
import { readMockable } from '../../mock/any-contract.js';
import { buildMock } from '../../mock/app.js';

/** That a PUT with a 201 makes items (RFC 9110, section 9.3.4): for the checker, and for the stateful mock. */

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

type Change = (method: string, status: number) => number;

/** @param change the status that is sent instead of the right one */
async function shelves(t: Test, change: Change = (_, status) => status) {
  const file = join(t.testdir({ 'shelves.yaml': yaml }), 'shelves.yaml');
  const { contract, isOwn } = await readMockable(file);
  const app = await buildMock({
    ...{ contract, log: makeLog('silent'), stateful: true, documentedFailures: !isOwn },
  });
  t.teardown(() => app.close());
  app.addHook('onSend', async ({ method }, reply, payload) => {
    reply.code(change(method, reply.statusCode));
    return payload;
  });
  return { app, url: new URL(await app.listen({ port: 0 })) };
}

async function rulesFor(t: Test, change?: Change) {
  const { url } = await shelves(t, change);
  const report = await check({
    document: readDocument(yaml, 'shelves.yaml'),
    rules: { on: new Set(['updates']), file: undefined },
    ...{ url, seed: 1, cases: 10 },
  });
  const rules = report.findings.map(({ operation, rule }) => `${operation}: ${rule}`);
  return { rules, unreached: report.unreached, notes: report.notes.join('\n') };
}

t.test('the stateful mock makes an item by PUT, replaces it, and shows it', async (t) => {
  const { app } = await shelves(t);
  const put = async (payload: object) =>
    (await app.inject({ method: 'PUT', url: '/shelves/top', payload })).statusCode;
  t.equal(await put({ label: 'a', rows: 3 }), 201);
  t.equal(await put({ label: 'b' }), 200);
  t.same((await app.inject('/shelves/top')).json(), { name: 'top', label: 'b' });
  t.same((await app.inject('/shelves')).json(), [{ name: 'top', label: 'b' }]);
});

t.test('check:contract makes the items of a collection by PUT, and removes them', async (t) => {
  const { rules, unreached, notes } = await rulesFor(t);
  t.same(rules, []);
  t.same(unreached, []);
  t.notMatch(notes, /still there|Not taken for a collection/);
});

const faults: Readonly<Record<string, readonly [Change, string]>> = {
  'a new item that is answered as an old one': [
    (method, status) => (method === 'PUT' && status === 201 ? 200 : status),
    'putShelf: a new item is answered as one that was there',
  ],
  'an old item that is answered as a new one': [
    (method, status) => (method === 'PUT' && status === 200 ? 201 : status),
    'putShelf: an item that was there is answered as new',
  ],
};

for (const [fault, [change, finding]] of Object.entries(faults)) {
  t.test(`check:contract finds ${fault}`, async (t) => {
    t.same((await rulesFor(t, change)).rules, [finding]);
  });
}
