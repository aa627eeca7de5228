import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { checkAnswers } from './answering-server.js';

/** That what a server decides of an item by itself is not taken for what a client has sent. */

// Each run takes a second on an idle machine.
t.setTimeout(600_000);

const yaml = `openapi: 3.0.3
info: { title: Notes, version: "1" }
paths:
  /notes:
    post:
      operationId: createNote
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
      responses:
        "201": { description: Made., content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
        "400": { description: Refused. }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getNote
      responses:
        "200": { description: One., content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
        "404": { description: None. }
    put:
      operationId: replaceNote
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
      responses:
        "200": { description: Changed., content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
        "400": { description: Refused. }
        "404": { description: None. }
components:
  schemas:
    Note:
      type: object
      required: [text]
      properties:
        id: { type: string, readOnly: true }
        text: { type: string, maxLength: 200 }
        edited: { type: boolean, readOnly: true }
        state: { type: string, enum: [new, changed], readOnly: true }
        version: { type: integer, minimum: 1, maximum: 3, readOnly: true }
`;

/** @param taken the members that the server wrongly takes from an update */
async function checkNotes(scope: Scope, taken: readonly string[] = []) {
  const notes = new Map<string, Readonly<Record<string, unknown>>>();
  const { found } = await checkAnswers(scope, {
    yaml,
    rules: ['updates'],
    title: 'changes what an update names, and nothing else',
    answer({ method, path: [, id = ''], body }) {
      const before = notes.get(id);
      if (method === 'GET') return before === undefined ? [404] : [200, before];
      const { text } = body;
      if (typeof text !== 'string' || text.length > 200) return [400];
      if (method === 'POST') {
        const note = { id: `n${notes.size}`, text, edited: false, state: 'new', version: 1 };
        notes.set(note.id, note);
        return [201, note];
      }
      if (before === undefined) return [404];
      const sent = Object.entries(body).filter(([name]) => taken.includes(name));
      const version = Math.min(3, Number(before['version']) + 1);
      const note = { id, text, edited: true, state: 'changed', version, ...Object.fromEntries(sent) };
      notes.set(id, note);
      return [200, note];
    },
  });
  return found;
}

t.test(
  'check:contract does not blame a server that decides of readOnly members with each update',
  async (t) => {
    t.same(await checkNotes(t), []);
  },
);

for (const member of ['edited', 'state', 'version']) {
  t.test(`check:contract finds that "${member}" is taken from an update`, async (t) => {
    t.same(await checkNotes(t, [member]), ['replaceNote: a readOnly member is taken from the client']);
  });
}
