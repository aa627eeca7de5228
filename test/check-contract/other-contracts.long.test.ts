import { type FastifyReply, fastify } from 'fastify';
import t from 'tap';
import { check, type Report } from '../../scripts/check/check.js';
import { makeToken } from '../../src/access/token.js';
import type { AnyHandler } from '../../src/contract/handlers.js';
import { MethodNotAllowedError } from '../../src/contract/request-errors.js';
import { routeContract } from '../../src/contract/routes.js';
import { contractOf, documentOf } from '../support/contract.js';
import { library } from './models/library.js';
import { meters } from './models/meters.js';
import { notes } from './models/notes.js';
import { widerPlants } from './models/wider-plants.js';

// Each run takes seconds on a machine that has nothing else to do.
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

/** The status of what src/contract/ refuses, and of what Fastify does. */
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

t.test('operations that fit no shape are called with everything that needs no meaning', async (t) => {
  const tried = async (handlers: Readonly<Record<string, AnyHandler>>): Promise<Report> => {
    const contract = await contractOf(t, yaml);
    const app = fastify({
      frameworkErrors: refuse,
      exposeHeadRoutes: false,
      routerOptions: { maxParamLength: 9_999 },
    });
    app.setErrorHandler(refuse);
    await routeContract(app, contract, { handlers, security: {} });
    const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    t.teardown(() => app.close());
    return check({ contract, url, seed: 1, cases: 20 });
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

for (const [name, make] of Object.entries({ library, meters, notes, widerPlants })) {
  t.test(`a server that keeps another contract keeps it, and nothing is left behind: ${name}`, async (t) => {
    const { contract, start } = await make();
    const [first, second] = [makeToken(), makeToken()];
    const url = await start(t, [first, second]);
    const credential = (text: string) => ({ text, shell: '$TOKEN' });
    const list = contract.operations.find(({ id }) => id.startsWith('list'));
    const listed = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${first}` };
      return (await fetch(new URL(list?.path ?? '', url), { headers })).text();
    };
    const before = await listed();
    for (const seed of [1, 2]) {
      const report = await check({
        ...{ contract, url, seed, cases: 20 },
        ...{ token: credential(first), otherToken: credential(second) },
      });
      t.same(told(report), []);
      t.equal(await listed(), before, 'nothing is left behind');
      const successes = report.unseen.filter(({ status }) => status.startsWith('2'));
      t.same(successes, [], 'every operation has answered with success');
    }
  });
}
