import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readContract } from '../../src/contract/document/document.js';
import { implement } from '../../src/contract/handlers.js';
import { failure } from '../../src/errors/failure.js';
import type { Owner } from '../../src/fairness/owner.js';
import { type Parts, partsOf } from '../../src/resources/parts.js';
import { resourceOf } from '../../src/resources/resource.js';
import { tableOf } from '../../src/store/table.js';
import { documentOf } from '../support/contract.js';
import { startService } from '../support/service.js';

/** The service with another contract, which has nothing in common with the plant store's. */

type Visit = { nr: bigint; place: string };
type Json<Value> = { content: { 'application/json': Value } };
type Error = Json<{ error: number; message: string }>;
type Path = { parameters: { path: { nr: bigint } } };
type Body<Value> = { requestBody: Json<Value> };

/** As `npm run codegen` would generate it. */
interface VisitContract {
  operations: {
    listVisits: {
      parameters: { query?: { after?: bigint; limit?: number } };
      responses: { 200: Json<Visit[]>; default: Error };
    };
    createVisit: Body<Visit> & { responses: { 200: Json<Visit>; default: Error } };
    changeVisit: Path & Body<{ place: string }> & { responses: { 200: Json<Visit>; default: Error } };
    endVisit: Path & { responses: { 204: unknown; default: Error } };
  };
  security: Record<'listVisits' | 'createVisit' | 'changeVisit' | 'endVisit', ['bearerAuth']>;
  defaults: object;
}

const error = `default: { description: Refused., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }`;
const visit = `{ application/json: { schema: { $ref: '#/components/schemas/Visit' } } }`;
const nr = '{ name: nr, in: path, required: true, schema: { type: integer, format: int64 } }';
const limits = 'x-limits: { bytes: 1000, depth: 5 }';
const place = "place: { type: string, pattern: '^[a-z]*$' }";
const document = documentOf(
  `
  /visits:
    get:
      operationId: listVisits
      parameters:
        - { name: after, in: query, schema: { type: integer, format: int64 } }
        - { name: limit, in: query, schema: { type: integer, format: int32, minimum: 1 } }
      responses:
        200: { description: Visits., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Visit' } } } } }
        ${error}
    post:
      operationId: createVisit
      requestBody: { required: true, ${limits}, content: ${visit} }
      responses: { 200: { description: Stored., content: ${visit} }, ${error} }
  /visits/{nr}:
    put:
      operationId: changeVisit
      parameters: [${nr}]
      requestBody: { required: true, ${limits}, content: { application/json: { schema: { type: object, required: [place], properties: { ${place} } } } } }
      responses: { 200: { description: Changed., content: ${visit} }, ${error} }
    delete:
      operationId: endVisit
      parameters: [${nr}]
      responses: { 204: { description: Ended. }, ${error} }`,
  `security: [{ bearerAuth: [] }]
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  schemas:
    Visit: { type: object, required: [nr, place], properties: { nr: { type: integer, format: int64 }, ${place} } }
    Error: { type: object, required: [error, message], properties: { error: { type: integer, format: int32 }, message: { type: string } } }
`,
);

const visitsTable = tableOf<Visit>()({
  table: 'visits',
  schema: 'Visit',
  owner: 'guest',
  key: 'nr',
  isKeyAnswered: true,
  columns: { nr: 'bigint', place: 'text' },
});

const visitResource = resourceOf(visitsTable, (visits) =>
  implement<VisitContract, keyof VisitContract['operations'], Owner>()({
    listVisits: async ({ caller, query: { after, limit } }) => ({
      status: 200,
      body: await visits.list(caller, { after, limit }),
    }),
    async createVisit({ caller, body }) {
      const stored = await visits.create(caller, body);
      return stored ? { status: 200, body: stored } : failure(409, 'There is another visit of this number.');
    },
    async changeVisit({ caller, path, body }) {
      const changed = await visits.update(caller, { ...body, ...path });
      return changed ? { status: 200, body: changed } : failure(404, 'There is no such visit.');
    },
    endVisit: async ({ caller, path }) =>
      (await visits.delete(caller, path.nr)) ? { status: 204 } : failure(404, 'There is no such visit.'),
  }),
);

/** Parts in a folder of their own, outside src/. */
function partsIn(t: Test): Parts {
  const folder = t.testdir({
    'contract.yaml': document,
    visits: {
      migrations: {
        '0002-visits.sql':
          'CREATE TABLE visits (guest text, nr bigint, place text NOT NULL, PRIMARY KEY (guest, nr))',
      },
    },
  });
  return partsOf<VisitContract>()({
    readContract: () => readContract(join(folder, 'contract.yaml')),
    folder,
    resources: { visits: visitResource },
  });
}

t.test('tables, rights and migrations follow from the list of resources', async (t) => {
  const { tables, neededTables, migrationFolders } = partsIn(t);
  t.strictSame(tables, [visitsTable]);
  t.match(neededTables, [
    { name: 'access_tokens' },
    { name: 'visits', columns: ['nr', 'place', 'guest'], rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] },
  ]);
  t.match(migrationFolders, [/access.migrations$/, /visits.migrations$/]);
});

t.test('the service serves another contract with other resources', async (t) => {
  const { call, newCaller } = await startService(t, { parts: partsIn(t) });
  const create = (nr: number, place: string) => call('POST', '/visits', { body: { nr, place } });
  for (const nr of [1, 2, 3]) t.match(await create(nr, 'a'), { status: 200, body: { nr, place: 'a' } });
  t.match(await create(1, 'a'), { status: 200 }, 'again');
  t.match(await create(1, 'b'), { status: 409 });
  t.match(await call('PUT', '/visits/2', { body: { place: 'c' } }), {
    status: 200,
    body: { nr: 2, place: 'c' },
  });
  t.match(await call('PUT', '/visits/9', { body: { place: 'c' } }), { status: 404 });
  t.match(await call('DELETE', '/visits/3'), { status: 204 });
  t.strictSame((await call('GET', '/visits?after=1&limit=5')).body, [{ nr: 2, place: 'c' }]);
  t.strictSame((await (await newCaller())('GET', '/visits')).body, []);
  t.match(await call('GET', '/plants'), { status: 404 }, 'and no plants');
});
