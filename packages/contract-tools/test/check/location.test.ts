import { createServer } from 'node:http';
import t from 'tap';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { readDocument } from '../../src/document/read-document.js';

// The run takes part of a second on an idle machine.
t.setTimeout(600_000);

const yaml = `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post:
      operationId: addNote
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [text], properties: { text: { type: string } } } } }
      responses:
        '201': { description: Added., headers: { Location: { schema: { type: string } } } }
        default: { description: A failure. }
  /notes/{note}:
    get:
      operationId: getNote
      parameters: [{ name: note, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: The note., content: { application/json: { schema: { type: object } } } }
        default: { description: A failure. }
`;

t.test('check:contract finds a Location that is no percent-encoded UTF-8, and goes on', async (t) => {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'POST') response.writeHead(201, { Location: '/notes/%ZZ' }).end();
    else response.writeHead(404).end();
  });
  const address = await serveIn(t, server);
  const document = readDocument(yaml, 'notes.yaml');
  const { findings } = await check({
    ...{ document, rules: { on: new Set(['isolation', 'pages']), file: undefined } },
    ...{ url: new URL(address), seed: 1, cases: 5 },
  });
  t.match(
    findings.map(({ operation, rule }) => `${operation}: ${rule}`),
    ['addNote: the answer does not say the id'],
  );
});
