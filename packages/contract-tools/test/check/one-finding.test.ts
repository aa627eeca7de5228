import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { report as written } from '../../src/base/report/reporter.js';
import type { Scope } from '../../src/base/scope.js';
import { serveIn } from '../../src/base/serve.js';
import type { Finding } from '../../src/check/answers/findings.js';
import { check } from '../../src/check/check.js';
import { resultsOf } from '../../src/check/reporters/results.js';
import { curlLine } from '../../src/check/requests/curl.js';
import type { Report } from '../../src/check/verdict/report.js';
import { readDocument } from '../../src/document/read-document.js';
import { isObject, readJson, type Value, writeJson } from '../../src/values/json.js';

t.setTimeout(600_000);

const document = readDocument(
  `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post:
      operationId: addNote
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
      responses:
        '201': { description: The note., content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
        '400': { description: It does not fit. }
        '409': { description: There is such a note. }
        '415': { description: It is not JSON. }
    get:
      operationId: listNotes
      responses:
        '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get:
      operationId: getNote
      responses:
        '200': { description: The note., content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
        '400': { description: It is no id. }
        '404': { description: There is no such note. }
    delete:
      operationId: removeNote
      responses:
        '204': { description: Removed. }
        '400': { description: It is no id. }
        '404': { description: There is no such note. }
components:
  schemas:
    Note:
      type: object
      required: [id, text]
      properties:
        id: { type: integer, format: int64 }
        text: { type: string, minLength: 1, maxLength: 2000 }
        at: { type: string, format: date-time, readOnly: true }
`,
  'notes.yaml',
);

interface Habits {
  readonly mediaType?: string;
  readonly maxLength?: number;
  /** Whether it reads an id that is written as a text. */
  readonly readsTexts?: boolean;
  /** What it shows as the time of each note; by default nothing. */
  readonly at?: string;
}

async function checked(scope: Scope, { mediaType = 'application/json', ...habits }: Habits): Promise<Report> {
  const notes = new Map<string, Value>();
  const answer = async (request: IncomingMessage): Promise<{ status: number; body?: Value }> => {
    const [, collection, id] = (request.url ?? '').split('/');
    if (collection !== 'notes') return { status: 404 };
    if (id !== undefined) {
      if (!/^-?(0|[1-9][0-9]{0,18})$/.test(id)) return { status: 400 };
      const note = notes.get(id);
      if (note === undefined) return { status: 404 };
      if (request.method === 'DELETE') notes.delete(id);
      return request.method === 'DELETE' ? { status: 204 } : { status: 200, body: note };
    }
    if (request.method === 'GET') return { status: 200, body: [...notes.values()] };
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return { status: 415 };
    const note = noteIn(await buffer(request), habits);
    if (note === undefined) return { status: 400 };
    if (notes.has(String(note.id))) return { status: 409 };
    notes.set(String(note.id), note);
    return { status: 201, body: note };
  };
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request);
    request.resume();
    if (body === undefined) response.writeHead(status).end();
    else response.writeHead(status, { 'Content-Type': mediaType }).end(writeJson(body));
  });
  const url = new URL(await serveIn(scope, server));
  return check({ document, url, rules: { on: new Set(), file: undefined }, seed: 1, cases: 10 });
}

function noteIn(bytes: Buffer, { at, maxLength = 2_000, readsTexts = false }: Habits) {
  const { id, text } = bodyOf(bytes);
  if (typeof text !== 'string' || text === '' || [...text].length > maxLength) return undefined;
  const isText = readsTexts && typeof id === 'string' && /^-?[0-9]{1,19}$/.test(id);
  if (!isText && typeof id !== 'bigint') return undefined;
  const note = { id: BigInt(id), text, ...(at !== undefined && { at }) };
  return BigInt.asIntN(64, note.id) === note.id ? note : undefined;
}

function bodyOf(bytes: Buffer): Readonly<Record<string, Value>> {
  try {
    const body = readJson(bytes);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}

const rulesOf = ({ findings }: Report, words: string): Finding[] =>
  findings.filter(({ rule }) => rule.includes(words));

t.test(
  'a media type that is wrong everywhere is one finding in every report, with its operations',
  async (t) => {
    const report = await checked(t, { mediaType: 'text/json' });
    const [finding, ...others] = rulesOf(report, 'the media type is');
    t.same(others, []);
    t.same([...(finding?.operations ?? [])].sort(), ['addNote', 'getNote', 'listNotes']);
    const results = resultsOf(report, 'again');
    const here = { contract: 'notes.yaml', top: process.cwd() };
    const times = (text: string): number => text.split('the media type is text/json').length - 1;
    for (const reporter of ['text', 'github', 'markdown'] as const) {
      const text = written(reporter, results, here);
      // Once in words, and once in the entry for a file of acceptances.
      t.equal(times(text), 2, reporter);
      t.match(text, '3 operations: ', reporter);
    }
    // A suite of JUnit is an operation, and each of them fails.
    for (const operation of finding?.operations ?? []) {
      t.match(
        written('junit', results, here),
        new RegExp(`<testsuite name="${operation}" tests="\\d+" failures="[1-9]`),
      );
    }
  },
);

t.test('a value that breaks one schema in a list and in an item is one finding', async (t) => {
  const report = await checked(t, { at: '12:30' });
  const [finding, ...others] = rulesOf(report, 'does not fit');
  t.same(others, []);
  t.same([...(finding?.operations ?? [])].sort(), ['addNote', 'getNote', 'listNotes']);
  t.match(finding, { rule: /^body(\/\*)?\/at does not fit: format$/, did: /body(\/0)?\/at: "12:30"/ });
});

t.test('a text that is refused too early is shown with the shortest one', async (t) => {
  const report = await checked(t, { maxLength: 1_000 });
  const [finding] = rulesOf(report, 'is valid is answered 400');
  t.match(finding?.case, 'body/text: 1001 characters');
  t.match(finding && curlLine(report.url, finding.steps[0]?.request ?? raise()), '{1..1001}');
});

t.test('the id of a case is that of the request', async (t) => {
  const report = await checked(t, { readsTexts: true });
  const [finding] = rulesOf(report, 'breaks "type" at body/id');
  const [, id = 'none'] = /: ("-?[0-9]+")$/.exec(finding?.case ?? '') ?? [];
  t.match(finding && curlLine(report.url, finding.steps[0]?.request ?? raise()), id);
});

function raise(): never {
  throw new Error('The finding has a request.');
}
