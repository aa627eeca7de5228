import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { credentialsIn, readCommandLine } from '../../src/check/command-line.js';
import { hideCredentials } from '../../src/check/reporters/hide-credentials.js';
import { curlLine } from '../../src/check/requests/curl.js';
import type { Report } from '../../src/check/verdict/report.js';
import { operationsOf } from '../../src/document/operations.js';
import { readDocument } from '../../src/document/read-document.js';

t.setTimeout(600_000);

const operation = (id: string, security: string) => `
    get:
      operationId: ${id}
      security: ${security}
      responses:
        '200': { description: All., content: { application/json: { schema: { type: array, items: { type: string } } } } }
        '401': { description: Nobody knows who is calling. }
        '403': { description: This is not enough. }`;

const document = readDocument(
  `openapi: 3.0.3
info: { title: Gates, version: 1.0.0 }
paths:
  /reports:${operation('listReports', '[{ api-key: [] }]')}
  /audits:${operation('listAudits', '[{ api-key: [], password: [] }]')}
  /notices:${operation('listNotices', '[{ password: [] }, { session: [] }]')}
components:
  securitySchemes:
    api-key: { type: apiKey, in: header, name: X-Key }
    password: { type: http, scheme: basic }
    session: { type: apiKey, in: cookie, name: sid }
`,
  'gates.yaml',
);

const good = {
  CONTRACT_TOKEN_API_KEY: 'the-key-of-ann',
  CONTRACT_TOKEN_PASSWORD: 'ann:the-password',
  CONTRACT_TOKEN_SESSION: 'the-session-of-ann',
};

/** Each flaw with the operation that a report must name. */
const flaws = {
  'one of two credentials is enough': 'listAudits',
  'the other of two credentials is enough': 'listAudits',
  'the second choice is refused': 'listNotices',
  'any session will do': 'listNotices',
  'credentials of another scheme are taken': 'listReports',
} as const;
type Flaw = keyof typeof flaws;

function isGood(authorization = ''): boolean {
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  return Buffer.from(encoded, 'base64').toString() === good.CONTRACT_TOKEN_PASSWORD;
}

function isLetIn({ url, headers }: IncomingMessage, flaw: Flaw | undefined): boolean {
  const hasKey = headers['x-key'] === good.CONTRACT_TOKEN_API_KEY;
  const hasPassword = isGood(headers.authorization);
  const session = /(?:^|; )sid=([^;]*)/.exec(headers.cookie ?? '')?.[1];
  const hasSession =
    session === good.CONTRACT_TOKEN_SESSION || (flaw === 'any session will do' && session !== undefined);
  if (url === '/reports')
    return hasKey || (flaw === 'credentials of another scheme are taken' && hasPassword);
  if (url === '/audits') {
    if (flaw === 'one of two credentials is enough') return hasKey;
    return flaw === 'the other of two credentials is enough' ? hasPassword : hasKey && hasPassword;
  }
  return hasPassword || (hasSession && flaw !== 'the second choice is refused');
}

async function checked(
  scope: Scope,
  environment: Readonly<Record<string, string>>,
  flaw?: Flaw,
  toHalf = 401,
  rules: readonly string[] = [],
): Promise<Report> {
  const server = createServer((request, response) => {
    const { authorization, 'x-key': key } = request.headers;
    const hasHalf =
      request.url === '/audits' && (isGood(authorization) || key === good.CONTRACT_TOKEN_API_KEY);
    if (isLetIn(request, flaw)) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('["one"]');
    } else if (hasHalf && toHalf === 403) response.writeHead(403).end();
    else response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="gates"' }).end();
  });
  const url = await serveIn(scope, server);
  const caller = { command: 'check-contract', contract: undefined };
  const options = readCommandLine(['--url', url, '--contract', 'gates.yaml'], environment, caller);
  return check({ ...options, document, rules: { on: new Set(rules), file: undefined }, seed: 1 });
}

t.test(
  'an operation is shown the credentials of its own schemes, two at once if it needs both',
  async (t) => {
    const report = await checked(t, good);
    t.same(report.findings, []);
    t.same(report.unreached, []);
  },
);

t.test('who shows one of two credentials may be answered a documented 403', async (t) => {
  const report = await checked(t, good, undefined, 403, ['documented-refusals']);
  t.same(report.findings, []);
});

for (const [flaw, operationId] of Object.entries(flaws)) {
  t.test(`check:contract finds a fault of several schemes: ${flaw}`, async (t) => {
    const report = await checked(t, good, flaw as Flaw);
    t.same([...new Set(report.findings.map((finding) => finding.operation))], [operationId]);
    const lines = report.findings
      .flatMap(({ steps }) => steps.map(({ request }) => curlLine(report.url, request)))
      .join('\n');
    t.match(lines, /\$CONTRACT_TOKEN_(API_KEY|PASSWORD|SESSION)|sid=/);
    for (const secret of Object.values(good)) t.notOk(lines.includes(secret), 'shows no secret');
  });
}

t.test('an operation without its credentials is left out, and the missing variable is named', async (t) => {
  const { CONTRACT_TOKEN_API_KEY, CONTRACT_TOKEN_SESSION } = good;
  const report = await checked(t, { CONTRACT_TOKEN_API_KEY, CONTRACT_TOKEN_SESSION });
  t.same(report.findings, []);
  t.match(report.unreached, [{ operation: 'listAudits', why: /CONTRACT_TOKEN_PASSWORD \(user:password\)/ }]);
  t.notMatch(report.unreached[0]?.why, 'CONTRACT_TOKEN_API_KEY', 'names only what is missing');
});

t.test('a credential without a scheme is that of most operations', async (t) => {
  const report = await checked(t, { PLANTS_TOKEN: 'ignored', CONTRACT_TOKEN: good.CONTRACT_TOKEN_API_KEY });
  t.same(
    report.unreached.map(({ operation: id }) => id),
    ['listAudits', 'listNotices'],
  );
});

t.test(
  'a run without any credentials, with a bad one, or with one of both owners cannot begin',
  async (t) => {
    await t.rejects(checked(t, {}), { message: /^There are no credentials: .*CONTRACT_TOKEN_API_KEY/ });
    await t.rejects(checked(t, { ...good, CONTRACT_TOKEN_API_KEY: 'wrong' }), {
      message: /^The server refuses what is in CONTRACT_TOKEN_API_KEY: /,
    });
    await t.rejects(checked(t, { ...good, CONTRACT_OTHER_TOKEN_SESSION: good.CONTRACT_TOKEN_SESSION }), {
      message: /^CONTRACT_TOKEN_SESSION and CONTRACT_OTHER_TOKEN_SESSION are one credential: /,
    });
    await t.rejects(checked(t, { ...good, CONTRACT_TOKEN_PASSWORD: 'no-colon' }), {
      message: /^CONTRACT_TOKEN_PASSWORD cannot be sent: .*user:password/,
    });
  },
);

t.test('an operation that asks for two credentials in one place is left out', (t) => {
  const two = readDocument(
    `openapi: 3.0.3
info: { title: Gates, version: 1.0.0 }
paths:
  /reports:${operation('listReports', '[{ password: [], token: [] }]')}
  /audits:${operation('listAudits', '[{ token: [] }]')}
components:
  securitySchemes: { password: { type: http, scheme: basic }, token: { type: http, scheme: bearer } }
`,
    'gates.yaml',
  );
  t.match(operationsOf(two).leftOut, [/^listReports is left out: .*two in one place/]);
  t.end();
});

const notes = readDocument(
  `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
security: [{ api-key: [] }, { session: [] }]
paths:
  /notes:
    post:
      operationId: addNote
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
      responses:
        '201': { description: The note., content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
        '400': { description: It does not fit. }
        '401': { description: Nobody knows who is calling. }
        '403': { description: The caller may not do this. }
        '409': { description: There is such a note. }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get:
      operationId: getNote
      responses:
        '200': { description: The note., content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
        '401': { description: Nobody knows who is calling. }
        '403': { description: The caller may not do this. }
        '404': { description: There is no such note. }
components:
  schemas:
    Note: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }
  securitySchemes:
    api-key: { type: apiKey, in: header, name: X-Key }
    session: { type: apiKey, in: cookie, name: sid }
`,
  'notes.yaml',
);

/** @param toSession what a GET answers to the session, although the note is there */
async function checkedNotes(scope: Scope, toSession: number): Promise<Report> {
  const kept = new Set<string>();
  const statusFor = async (request: IncomingMessage): Promise<readonly [status: number, id?: string]> => {
    const isSession = request.headers.cookie === `sid=${good.CONTRACT_TOKEN_SESSION}`;
    if (!isSession && request.headers['x-key'] !== good.CONTRACT_TOKEN_API_KEY) return [401];
    const id = /^\/notes\/(.+)$/.exec(request.url ?? '')?.[1];
    if (id !== undefined) return [!kept.has(id) ? 404 : isSession ? toSession : 200, id];
    const made = /^\{"id":(-?[0-9]{1,19})\}$/.exec(await text(request))?.[1];
    if (made === undefined) return [400];
    if (kept.has(made)) return [409];
    kept.add(made);
    return [201, made];
  };
  const server = createServer(async (request, response) => {
    const [status, id] = await statusFor(request);
    request.resume();
    if (status >= 400) response.writeHead(status).end();
    else response.writeHead(status, { 'Content-Type': 'application/json' }).end(`{"id":${id}}`);
  });
  const caller = { command: 'check-contract', contract: undefined };
  const { CONTRACT_TOKEN_API_KEY, CONTRACT_TOKEN_SESSION } = good;
  const environment = { CONTRACT_TOKEN_API_KEY, CONTRACT_TOKEN_SESSION };
  const line = ['--url', await serveIn(scope, server), '--contract', 'notes.yaml'];
  const options = readCommandLine(line, environment, caller);
  return check({ ...options, document: notes, rules: { on: new Set(), file: undefined }, seed: 1, cases: 2 });
}

t.test('an item is shown to each of the credentials, or the report says so', async (t) => {
  const about =
    /has the credentials of session .* is answered|has the credentials of session .*: it answered/;
  const toldIn = ({ findings, notes: told }: Report): string[] =>
    [...findings.map(({ operation: id, rule }) => `${id}: ${rule}`), ...told].filter((one) =>
      about.test(one),
    );
  t.same(toldIn(await checkedNotes(t, 200)), []);
  t.match(toldIn(await checkedNotes(t, 404)), [/^getNote: a request that has .* is answered 404$/]);
  t.match(toldIn(await checkedNotes(t, 403)), [/^getNote was not seen to take .*: it answered 403\.$/]);
});

t.test('no report shows the credential of a scheme', (t) => {
  const hide = hideCredentials(credentialsIn({ ...good, PATH: 'the-path-of-ann', PLANTS_TOKEN: '' }));
  t.equal(hide('got the-key-of-ann by the-path-of-ann'), 'got $CONTRACT_TOKEN_API_KEY by the-path-of-ann');
  t.end();
});
