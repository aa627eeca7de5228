import t, { type Test } from 'tap';
import { isObject, type Value } from '../../src/values/json.js';
import { type Answered, checkServer, owners } from './json-server.js';

/** That the second owner, with its own token, reads nothing by naming the tenant of the first. */

t.setTimeout(600_000);

const yaml = `openapi: 3.0.3
info: { title: Memos, version: "1" }
security: [{ bearer: [], tenant: [] }]
paths:
  /memos:
    post:
      operationId: addMemo
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewMemo' } } } }
      responses: { "201": { description: Made., content: { application/json: { schema: { $ref: '#/components/schemas/Memo' } } } }, "400": { description: Wrong. }, "401": { description: Who. }, "403": { description: Of another tenant. } }
  /memos/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    get:
      operationId: getMemo
      responses: { "200": { description: It., content: { application/json: { schema: { $ref: '#/components/schemas/Memo' } } } }, "400": { description: Wrong. }, "401": { description: Who. }, "403": { description: Of another tenant. }, "404": { description: None. } }
    delete:
      operationId: removeMemo
      responses: { "204": { description: Gone. }, "400": { description: Wrong. }, "401": { description: Who. }, "403": { description: Of another tenant. }, "404": { description: None. } }
components:
  securitySchemes:
    bearer: { type: http, scheme: bearer }
    tenant: { type: apiKey, in: header, name: X-Tenant }
  schemas:
    NewMemo: { type: object, required: [title], properties: { title: { type: string, minLength: 1, maxLength: 50 } } }
    Memo: { type: object, required: [id, title], properties: { id: { type: integer }, title: { type: string } } }
`;

const tenants: Readonly<Record<string, string>> = { [owners.first]: 'north', [owners.second]: 'south' };

/** @param isTenantOf whether a caller may act for a tenant */
function checked(t: Test, isTenantOf: (caller: string, tenant: string) => boolean, header = 'X-Tenant') {
  const memos = new Map<string, { readonly tenant: string; readonly memo: Value }>();
  let count = 0;
  const inTenant =
    (id: string, answer: (memo: Value) => Answered) =>
    (caller: string, tenant: string): Answered => {
      if (!isTenantOf(caller, tenant)) return { status: 403 };
      const kept = memos.get(id);
      return kept?.tenant === tenant ? answer(kept.memo) : { status: 404 };
    };
  return checkServer(t, {
    yaml: yaml.replace('name: X-Tenant', `name: ${header}`),
    rules: ['isolation'],
    schemeTokens: [
      { holder: 'first', scheme: 'BEARER', text: owners.first, shell: '$FIRST' },
      { holder: 'second', scheme: 'BEARER', text: owners.second, shell: '$SECOND' },
      { holder: 'first', scheme: 'TENANT', text: 'north', shell: '$FIRST_TENANT' },
      { holder: 'second', scheme: 'TENANT', text: 'south', shell: '$SECOND_TENANT' },
    ],
    first: ({ headers }) =>
      ['north', 'south'].includes(String(headers[header.toLowerCase()])) ? undefined : { status: 401 },
    answers: {
      addMemo: ({ body, caller, headers }) => {
        const tenant = String(headers[header.toLowerCase()]);
        if (!isTenantOf(caller, tenant)) return { status: 403 };
        const memo = { ...(isObject(body) ? body : {}), id: BigInt(++count) };
        memos.set(String(count), { tenant, memo });
        return { status: 201, body: memo };
      },
      getMemo: ({ id, caller, headers }) =>
        inTenant(id, (body) => ({ status: 200, body }))(caller, String(headers[header.toLowerCase()])),
      removeMemo: ({ id, caller, headers }) =>
        inTenant(id, () => (memos.delete(id) ? { status: 204 } : { status: 404 }))(
          caller,
          String(headers[header.toLowerCase()]),
        ),
    },
  });
}

t.test('check:contract finds nothing if a token is good for its own tenant only', async (t) => {
  const { found, unreached } = await checked(t, (caller, tenant) => tenants[caller] === tenant);
  t.same(found, []);
  t.same(unreached, []);
});

t.test('a key that says who calls is not crossed, whatever it is called', async (t) => {
  t.same((await checked(t, () => true, 'X-Tenant-Key')).found, []);
});

t.test('check:contract finds that any token is good for the tenant that it names', async (t) => {
  const { found, report } = await checked(t, () => true);
  t.same(found, ["getMemo: another owner's item is shown"]);
  t.match(report.findings[0]?.did, 'the second owner with the tenant of the first one is shown');
});
