import { createServer } from 'node:http';
import fc from 'fast-check';
import t from 'tap';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { boundaryValues } from '../../src/check/values/boundary-values.js';
import { breakSites } from '../../src/check/values/broken-values.js';
import { readDocument } from '../../src/document/read-document.js';
import { maxMade } from '../../src/values/bounds.js';
import { writeJson } from '../../src/values/json.js';
import { anyValue, NoValueError, plainValue } from '../../src/values/valid-values.js';
import { schemaNode } from './schema-node.js';

/** Java's generators write Integer.MAX_VALUE for "no bound", and MySQL's longest text has 2^32 - 1 bytes. */
const greatBounds = [2_147_483_647, 4_294_967_295];

for (const bound of greatBounds) {
  for (const schema of [
    { type: 'string', minLength: 1, maxLength: bound },
    { type: 'string', pattern: '^[a-z]+$', maxLength: bound },
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: bound, uniqueItems: true },
    { type: 'object', properties: { a: { type: 'string' } }, maxProperties: bound },
  ]) {
    t.test(`the values of ${JSON.stringify(schema)} are of a size that can be sent`, async (t) => {
      const node = schemaNode(schema);
      const plain = plainValue([node]);
      const values = [
        ...boundaryValues([node]).map(({ value }) => value),
        ...breakSites(node, plain).map((broken) => broken.apply(plain)),
        ...fc.sample(anyValue([node]), { seed: 1, numRuns: 20 }),
      ];
      t.ok(values.length > 20);
      t.same(
        values.filter((value) => writeJson(value).length > 6 * maxMade.characters),
        [],
      );
    });
  }
  for (const schema of [
    { type: 'string', minLength: bound },
    { type: 'array', items: { type: 'string' }, minItems: bound },
    { type: 'array', contains: { type: 'string' }, minContains: bound },
  ])
    t.test(`no value of ${JSON.stringify(schema)} is made`, async (t) => {
      const node = schemaNode(schema, '3.1.0');
      t.throws(() => plainValue([node]), NoValueError);
      t.throws(() => fc.sample(anyValue([node]), 1), NoValueError);
      t.same(boundaryValues([node]), []);
    });
}

// Some of its bodies have 400,000 bytes.
t.setTimeout(600_000);

t.test('the report names each bound beyond which nothing is sent', async (t) => {
  const { characters, items } = maxMade;
  const yaml = `openapi: 3.0.3
info: { title: Boxes, version: 1.0.0 }
paths:
  /boxes:
    put:
      operationId: putBox
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                text: { type: string, maxLength: ${characters} }
                list: { type: array, maxItems: ${items}, items: { type: boolean } }
                map: { type: object, maxProperties: ${items} }
                short: { type: string, maxLength: ${characters - 1} }
      responses: { '204': { description: Taken. } }
`;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  const { notes } = await check({
    document: readDocument(yaml, 'boxes.yaml'),
    rules: { on: new Set(), file: undefined },
    ...{ url: new URL(await serveIn(t, server)), seed: 1, cases: 1 },
  });
  const bounds = [`text (more than maxLength ${characters}`, `list (more than maxItems ${items}`];
  const named = notes.find((note) => note.startsWith('putBox: only a few values were tried'));
  for (const bound of [...bounds, `map (more than maxProperties ${items}`])
    t.match(named, `body/${bound} is never sent)`);
  t.notMatch(named, 'body/short');
});
