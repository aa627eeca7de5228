import { createServer } from 'node:http';
import t from 'tap';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { describe } from '../../src/check/document/description.js';
import { withoutUnwritable } from '../../src/check/requests/unwritable.js';
import { plainText } from '../../src/check/values/carried-texts.js';
import { readDocument } from '../../src/document/read-document.js';

// Each run takes a second on an idle machine.
t.setTimeout(600_000);

const greetings = (schema: string): string => `openapi: 3.0.3
info: { title: Greetings, version: 1.0.0 }
paths:
  /greetings/{name}:
    get:
      operationId: greet
      parameters: [{ name: name, in: path, required: true, schema: ${schema} }]
      responses:
        '200': { description: A greeting for any name. }
`;

t.test('check:contract sends no text that makes another path of it', async (t) => {
  const targets: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    targets.push(url);
    // A client, a proxy or a framework that normalises URLs does the same.
    const [, name] = /^\/greetings\/([^/]+)$/.exec(new URL(url, 'http://x').pathname) ?? [];
    response.writeHead(name === undefined ? 404 : 200).end();
  });
  const url = new URL(await serveIn(t, server));
  for (const schema of ['{ type: string }', '{ type: string, pattern: "^[.]{0,3}$", example: ".." }']) {
    const document = readDocument(greetings(schema), 'greetings.yaml');
    const { findings } = await check({
      ...{ document, url, seed: 1, cases: 200 },
      rules: { on: new Set<string>(), file: undefined },
    });
    t.same(
      findings.map(({ rule, case: tried }) => `${rule}: ${tried}`),
      [],
      schema,
    );
  }
  t.ok(targets.length > 100);
  t.notOk(targets.some((target) => /^\/greetings\/(?:|\.|\.\.)(?:\?.*)?$/.test(target)));
});

t.test('check:contract leaves out an operation whose path takes no other text', async (t) => {
  const descriptionOf = async (schema: string) => describe(readDocument(greetings(schema), 'greetings.yaml'));
  for (const schema of ['{ type: string, enum: ["", ".."] }', '{ type: string, maxLength: 0 }'])
    t.match(withoutUnwritable(await descriptionOf(schema)).leftOut, [
      /^greet is left out: no value of name /,
    ]);
  const dots = withoutUnwritable(await descriptionOf('{ type: string, pattern: "^[.]+$" }'));
  t.same(dots.leftOut, []);
  const [parameter] = dots.description.operations[0]?.parameters ?? [];
  t.match(parameter && plainText(parameter), /^[.]{3,}$/);
});
