import { type FastifyReply, fastify, type onRequestHookHandler } from 'fastify';
import t from 'tap';
import { check, type Report } from '../../packages/contract-tools/check.js';
import { readDocument } from '../../packages/contract-tools/index.js';
import { call } from '../../packages/kit/testing.js';
import {
  type AnyHandler,
  type Contract,
  contractRoutes,
  MethodNotAllowedError,
  makeToken,
} from '../../packages/service/layer.js';
import { contractOf, documentOf } from '../../packages/service/test/support/contract/contract.js';
import { listenIn } from '../../packages/service/test/support/listen-in.js';
import { modelNames, startModel } from '../faults/models.js';

// Each run takes seconds on an idle machine.
t.setTimeout(600_000);

const yaml = documentOf(
  `
  /tools/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }
    get:
      operationId: getTool
      parameters:
        - { name: detail, in: query, schema: { type: boolean } }
      responses:
        200:
          description: The tool.
          headers:
            X-Version: { required: true, schema: { type: integer, format: int32 } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Tool' } } }
        400: { $ref: '#/components/responses/Refused' }
    delete:
      operationId: deleteTool
      responses:
        204: { description: Gone. }
        400: { $ref: '#/components/responses/Refused' }
  /tools:
    post:
      operationId: createTool
      requestBody:
        required: true
        x-limits: { bytes: 2000, depth: 6 }
        content: { application/json: { schema: { $ref: '#/components/schemas/Tool' } } }
      responses:
        201: { description: Made. }
        400: { $ref: '#/components/responses/Refused' }
        413: { $ref: '#/components/responses/Refused' }
        415: { $ref: '#/components/responses/Refused' }`,
  `components:
  responses:
    Refused:
      description: No.
      content:
        application/json:
          schema: { type: object, required: [reason], properties: { reason: { type: string } } }
  schemas:
    Tool:
      type: object
      required: [kind, sizes]
      properties:
        kind: { type: string, enum: [saw, hammer] }
        sizes: { type: array, minItems: 1, maxItems: 3, items: { type: integer, format: int32, multipleOf: 5 } }
        owner: { type: string, nullable: true, maxLength: 10 }
`,
);

const tool = { kind: 'saw', sizes: [5] };
const sound: Readonly<Record<string, AnyHandler>> = {
  getTool: async () => ({ status: 200, headers: { 'X-Version': 1 }, body: tool }),
  createTool: async () => ({ status: 201 }),
  deleteTool: async () => {
    throw new Error('nothing may be deleted by a checker that does not know what that means');
  },
};

/** Answers what packages/service/src/contract/ and Fastify refuse. */
const statuses: Readonly<Record<string, number>> = {
  InvalidRequestError: 400,
  UnknownPathError: 404,
  MethodNotAllowedError: 405,
  UnsupportedMediaTypeError: 415,
  FST_ERR_BAD_URL: 400,
  FST_ERR_CTP_BODY_TOO_LARGE: 413,
};

function refuse(error: Error, _request: unknown, reply: FastifyReply): void {
  const code = 'code' in error ? String(error.code) : '';
  if (error instanceof MethodNotAllowedError) reply.header('Allow', error.allowed.join(', '));
  reply.code(statuses[code] ?? statuses[error.name] ?? 500).send({ reason: error.message });
}

const told = ({ findings }: Report): string[] =>
  findings.map(({ operation, rule }) => `${operation}: ${rule}`);

t.test('check:contract calls operations outside any collection with all that needs no meaning', async (t) => {
  const tried = async (handlers: Readonly<Record<string, AnyHandler>>): Promise<Report> => {
    const contract = await contractOf(t, yaml);
    const app = fastify({
      frameworkErrors: refuse,
      exposeHeadRoutes: false,
      routerOptions: { maxParamLength: 9_999 },
    });
    app.setErrorHandler(refuse);
    await app.register(contractRoutes, { contract, handlers, security: {} });
    const url = new URL(await listenIn(t, app));
    return check({ document: readDocument(contract.text, contract.file), url, seed: 1, cases: 20 });
  };

  const report = await tried(sound);
  t.same(told(report), ['deleteTool: never answered a valid request'], 'its handler was not called');
  t.match(report.findings[0]?.did, /^it may change what somebody else has: /);
  t.ok(report.cases > 300);
  t.same(
    report.unseen.filter(({ operation }) => operation === 'deleteTool').map(({ status }) => status),
    ['204'],
  );

  const wrongHeader = await tried({
    ...sound,
    getTool: async () => ({ status: 200, headers: { 'X-Version': 'one' }, body: tool }),
  });
  t.same(told(wrongHeader), [
    'getTool: header X-Version does not fit: type',
    'deleteTool: never answered a valid request',
  ]);
  t.match(wrongHeader.findings[0]?.place, /contract\.yaml:\d+:\d+$/);

  const wrongStatus = await tried({ ...sound, createTool: async () => ({ status: 200 }) });
  t.same(told(wrongStatus), [
    'createTool: status 200 is not documented',
    'deleteTool: never answered a valid request',
  ]);
});

const parameters = {
  tags: '{ name: tag, in: query, schema: { type: array, uniqueItems: true, minItems: 2, maxItems: 3, items: { type: string, enum: [a, b, "c,d", e] } } }',
  sizes:
    '{ name: sizes, in: query, required: true, explode: false, schema: { type: array, maxItems: 4, items: { type: integer, format: int64, minimum: 0 } } }',
  words:
    '{ name: words, in: query, explode: false, schema: { type: array, items: { type: string, maxLength: 30 } } }',
  limit:
    '{ name: limit, in: query, schema: { type: integer, format: int32, minimum: 1, maximum: 9, default: 5 } }',
  tenant: '{ name: X-Tenant, in: header, required: true, schema: { type: string, pattern: "^[a-z]{2,8}$" } }',
  note: '{ name: X-Note, in: header, schema: { type: string, maxLength: 10 } }',
  depth: '{ name: x-depth, in: header, schema: { type: integer, format: int64, maximum: 9007199254740993 } }',
  exact: '{ name: exact, in: cookie, schema: { type: boolean } }',
  session:
    '{ name: session, in: cookie, required: true, schema: { type: string, minLength: 3, maxLength: 9 } }',
};

const searched = (...given: readonly string[]) =>
  documentOf(
    `
  /search:
    get:
      operationId: search
      parameters: [${given.join(', ')}]
      responses:
        204: { description: Searched. }
        400:
          description: No.
          content:
            application/json:
              schema: { type: object, required: [reason], properties: { reason: { type: string } } }`,
  );

/** Relaxations of a server: the text of a parameter, and what the server reads instead. */
const laxer: readonly Partial<Record<keyof typeof parameters, readonly [written: string, read: string]>>[] = [
  {
    tags: ['uniqueItems: true, ', ''],
    sizes: [', minimum: 0', ''],
    limit: ['minimum: 1, ', ''],
    tenant: [', pattern: "^[a-z]{2,8}$"', ''],
    note: [', maxLength: 10', ''],
    depth: [', maximum: 9007199254740993', ''],
    exact: ['type: boolean', 'type: string'],
    session: [', maxLength: 9', ''],
  },
  {
    tags: ['minItems: 2, ', ''],
    sizes: ['maxItems: 4, ', ''],
    depth: ['type: integer, format: int64, maximum: 9007199254740993', 'type: string'],
    tenant: ['required: true, ', ''],
    session: ['required: true, ', ''],
  },
  {
    tags: ['maxItems: 3, ', ''],
    sizes: ['type: integer, format: int64, minimum: 0', 'type: string'],
  },
  { tags: [', enum: [a, b, "c,d", e]', ''], sizes: ['required: true, ', ''] },
];

t.test('check:contract tries parameters in headers, in cookies and with several values', async (t) => {
  const promised = await contractOf(t, searched(...Object.values(parameters)));
  const found = async (kept: Contract, change: onRequestHookHandler = (_request, _reply, done) => done()) => {
    const app = fastify({ frameworkErrors: refuse, exposeHeadRoutes: false });
    app.setErrorHandler(refuse);
    app.addHook('onRequest', change);
    const handlers = { search: async () => ({ status: 204 }) };
    await app.register(contractRoutes, { contract: kept, handlers, security: {} });
    const url = new URL(await listenIn(t, app));
    return (
      await check({ document: readDocument(promised.text, promised.file), url, seed: 1, cases: 30 })
    ).findings.map(({ rule }) => rule);
  };
  t.strictSame(await found(promised), [], 'a server that keeps them is not blamed');

  for (const changes of laxer) {
    const lax = { ...parameters };
    for (const name of Object.keys(changes) as (keyof typeof parameters)[]) {
      const [written, read] = changes[name] ?? [];
      lax[name] = parameters[name].replace(String(written), String(read));
      t.not(lax[name], parameters[name], `${name} has ${written}`);
    }
    const rules = (await found(await contractOf(t, searched(...Object.values(lax))))).join('\n');
    for (const name of Object.keys(changes) as (keyof typeof parameters)[]) {
      const [, written = ''] = /name: ([^,]+)/.exec(parameters[name]) ?? [];
      t.match(rules, ` ${written} in the `, `${name}: ${changes[name]?.join(' → ')}`);
    }
  }

  const inTheseLettersOnly = await found(promised, (request, _reply, done) => {
    const { rawHeaders } = request.raw;
    for (const [index, name] of rawHeaders.entries()) if (name === 'x-note') rawHeaders[index] = 'x-other';
    done();
  });
  t.match(inTheseLettersOnly, [/has a broken X-Note in the header/]);
});

for (const name of modelNames) {
  t.test(`check:contract passes a server of another contract, and leaves nothing: ${name}`, async (t) => {
    const [first, second] = [makeToken(), makeToken()];
    const { contract, url } = await startModel(t, name, [first, second]);
    const credential = (text: string) => ({ text, shell: '$TOKEN' });
    const list = contract.operations.find(({ id }) => id.startsWith('list'));
    const listed = async (): Promise<string> => {
      return (await call(url.origin, 'GET', list?.path ?? '', { token: first })).text;
    };
    const before = await listed();
    for (const seed of [1, 2]) {
      const report = await check({
        ...{ document: readDocument(contract.text, contract.file), url, seed, cases: 20 },
        ...{ token: credential(first), otherToken: credential(second) },
      });
      t.same(told(report), []);
      t.equal(await listed(), before, 'nothing is left behind');
      const successes = report.unseen.filter(({ status }) => status.startsWith('2'));
      t.same(successes, [], 'every operation has answered with success');
    }
  });
}
