import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { isObject, type Value } from '../../src/values/json.js';
import { plainValue } from '../../src/values/valid-values.js';
import { checkServer } from './json-server.js';
import { schemaNode } from './schema-node.js';

/** That a report names what was seen and not compared. */

t.setTimeout(600_000);

const yaml = `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post:
      operationId: createNote
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
      responses:
        '201': { description: Made., content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
        '400': { description: Refused. }
    get:
      operationId: listNotes
      responses:
        '200':
          description: All.
          content:
            application/json:
              schema:
                type: object
                required: [items, total]
                properties:
                  items: { type: array, items: { $ref: '#/components/schemas/Note' } }
                  total: { type: integer, minimum: 0 }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getNote
      responses:
        '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
        '400': { description: Refused. }
        '404': { description: None. }
    delete:
      operationId: removeNote
      responses: { '204': { description: Removed. }, '400': { description: Refused. }, '404': { description: None. } }
  /events:
    get:
      operationId: listEvents
      responses:
        '200': { description: All., content: { application/json: { schema: { type: array, items: { type: object } } } } }
components:
  schemas:
    Note:
      type: object
      required: [id, text]
      properties:
        id: { type: string, readOnly: true }
        stamp: { type: integer, readOnly: true }
        text: { type: string, maxLength: 200 }
        tags: { type: array, maxItems: 60, items: { type: boolean } }
`;

async function notesOf(scope: Scope, rules: readonly string[]): Promise<string> {
  const notes = new Map<string, Value>();
  let made = 0;
  const { found, notes: said } = await checkServer(scope, {
    yaml,
    rules,
    answers: {
      createNote: ({ body }) => {
        made++;
        const note = { ...(isObject(body) ? body : {}), id: `n${made}`, stamp: 7n };
        notes.set(note.id, note);
        return { status: 201, body: note };
      },
      listNotes: () => ({ status: 200, body: { items: [...notes.values()], total: BigInt(notes.size) } }),
      getNote: ({ id }) => {
        const note = notes.get(id);
        return note === undefined ? { status: 404 } : { status: 200, body: note };
      },
      removeNote: ({ id }) => ({ status: notes.delete(id) ? 204 : 404 }),
      listEvents: () => ({ status: 200, body: [] }),
    },
  });
  t.same(found, []);
  return said;
}

t.test('a list that was only ever seen empty is named, and no other', async (t) => {
  const said = await notesOf(t, []);
  t.match(said, /^Only ever seen without an item, [^:]+: listEvents\.$/m);
});

t.test('a length that nobody compared is named', async (t) => {
  t.match(await notesOf(t, []), /^Nobody compared these lengths [^:]+: total of listNotes\.$/m);
  t.notMatch(await notesOf(t, ['totals']), 'Nobody compared');
});

t.test('a readOnly member that no request had is named', async (t) => {
  t.match(await notesOf(t, []), /^No request had these readOnly members, [^:]+: stamp of createNote\.$/m);
  t.notMatch(await notesOf(t, ['updates']), 'No request had');
});

t.test(
  'a list longer than any that is sent is named, and a least length is in the plainest request',
  async (t) => {
    t.match(await notesOf(t, []), 'body/tags (no list of maxItems 60 is sent)');
    const plain = plainValue([schemaNode({ type: 'array', minItems: 60, items: { type: 'boolean' } })]);
    t.equal(Array.isArray(plain) && plain.length, 60);
  },
);
