/** A pattern of a document that backtracks does not hold the check: it is given up, and the report names it. */
import { createServer } from 'node:http';
import t from 'tap';
import { check } from '../../check/check.js';
import { readDocument } from '../../document/read-document.js';
import { serveIn } from '../../kit/serve.js';
import { patternOf } from '../../values/patterns.js';

const yaml = `openapi: 3.0.3
info: { title: Texts, version: 1.0.0 }
paths:
  /text:
    get:
      operationId: getText
      responses:
        '200':
          description: A text.
          content:
            application/json:
              schema: { type: object, properties: { text: { type: string, pattern: '^(b+)+$' } } }
        default: { description: A failure. }
`;

/** Each takes 2^32 steps and more for a text of 32 characters that ends otherwise. */
const backtracking: Readonly<Record<string, string>> = {
  '^(a+)+$': 'a',
  '^(a|a)*$': 'a',
  '^(a|aa)+$': 'a',
  '^([a-z]+)*-$': 'a',
  '^(\\w+\\s?)*$': 'a',
};

// The run takes part of a second on an idle machine.
t.setTimeout(600_000);

for (const [text, character] of Object.entries(backtracking)) {
  t.test(`${text} is given up when it takes too long, and not asked again`, async (t) => {
    const pattern = patternOf(text);
    t.equal(pattern?.isSlow, false);
    t.equal(pattern?.test(`${character.repeat(38)}!`), undefined);
    t.equal(pattern?.isSlow, true);
    t.equal(pattern?.test(character), undefined);
  });
}

t.test('a pattern that many texts match is asked however long they are', async (t) => {
  const pattern = patternOf('^[a-z]+(?:-[a-z]+)*$');
  t.equal(pattern?.test('ab-'.repeat(5_000)), false);
  t.equal(pattern?.test(`${'ab-'.repeat(5_000)}c`), true);
  t.equal(pattern?.isSlow, false);
});

t.test('a check goes on, and says which pattern of an answer it has given up', async (t) => {
  const text = `${'b'.repeat(38)}!`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ text }));
  });
  const { findings, notes } = await check({
    document: readDocument(yaml, 'slow.yaml'),
    rules: { on: new Set(['isolation', 'pages']), file: undefined },
    ...{ url: new URL(await serveIn(t, server)), seed: 1, cases: 5 },
  });
  t.strictSame(findings, []);
  t.match(notes.join('\n'), /getText: its answers were not compared with the pattern at slow\.yaml:12:\d+/);
});
