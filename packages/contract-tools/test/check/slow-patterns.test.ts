/** A pattern of a document that a long text could hold for hours is asked for short ones, and the report says so. */
import { createServer } from 'node:http';
import t from 'tap';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { readDocument } from '../../src/document/read-document.js';
import { patternOf } from '../../src/values/patterns.js';

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

/** The longest texts that each pattern is asked for. */
const maxLengths: Readonly<Record<number, readonly string[]>> = {
  // The ways double, or they are not counted.
  12: [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^([a-z]+)*-$',
    '^(\\w+\\s?)*$',
    '^https://([a-z0-9]+[.-]?)+$',
    '^(a?){30}a{30}$',
    '^(.{1,100}){1,100}$',
    '^(a*)*$',
    '(?i)^(A|a)+$',
    '(.*)\\1$',
    '^(?!no)[a-z]*$',
    '(?<=a)b',
  ],
  1000: ['\\s+$', 'a*b', '^[a-z]*[a-z0-9]*$', '^\\p{L}+\\s*\\p{L}+$', '^[a-z]{1,63}[a-z0-9]{1,63}$'],
  100: ['^a*a*a*$', '[a-z]*a*!'],
};
const harmless = [
  '^[a-z]+(?:-[a-z]+)*$',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  '^(A|a)+$',
  '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  '^arn:[^:]+:[^:]+:[^:]*:[^:]*:.+$',
  '^([A-F0-9]{2}:?){6}$',
  '^(?<year>\\d{4})-\\d\\d$',
  '^[\\w-.]{1,255}$',
  '^[^]]$',
  'foo|bar\\|[(|]',
  `^(${Array.from({ length: 300 }, (_, at) => `word${at}`).join('|')})$`,
];

t.setTimeout(600_000);

for (const [maxLength, patterns] of Object.entries(maxLengths)) {
  for (const text of patterns) {
    t.test(`${text} is asked for texts of at most ${maxLength} characters`, async (t) => {
      const pattern = patternOf(text);
      t.equal(pattern?.maxLength, Number(maxLength));
      t.type(pattern?.test('a'.repeat(Number(maxLength))), 'boolean');
      t.equal(pattern?.hasSkipped, false);
      t.equal(pattern?.test('a'.repeat(Number(maxLength) + 1)), undefined);
      t.equal(pattern?.hasSkipped, true);
      t.type(pattern?.test('a'), 'boolean', 'short texts are still asked');
    });
  }
}

for (const text of harmless) {
  t.test(`${text.slice(0, 60)} is asked however long a text is`, async (t) => {
    t.equal(patternOf(text)?.maxLength, Number.POSITIVE_INFINITY);
  });
}

t.test('a check goes on, and says up to which length it has asked a pattern', async (t) => {
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
  t.match(
    notes.join('\n'),
    /getText: its answers are compared with the pattern at slow\.yaml:12:\d+ only up to 12 characters\./,
  );
});
