import t, { type Test } from 'tap';
import { isObject, sameValue, type Value, type ValueObject } from '../../src/values/json.js';
import { type Answered, checkServer } from './json-server.js';

/** That a create which is sent again with its Idempotency-Key makes nothing more. */

t.setTimeout(600_000);

const schema = (name: string): string =>
  `{ application/json: { schema: { $ref: '#/components/schemas/${name}' } } }`;
const yamlThatSays = (ofKey = ''): string => `openapi: 3.0.3
info: { title: Orders, version: "1" }
security: [{ bearer: [] }]
paths:
  /orders:
    post:
      operationId: addOrder
      parameters:
        - { name: Idempotency-Key, in: header, required: true, description: "${ofKey}", schema: { type: string, minLength: 1 } }
        - { name: X-Tenant, in: header, required: true, schema: { type: string, enum: [one] } }
      requestBody: { required: true, content: ${schema('NewOrder')} }
      responses: { "201": { description: Made., content: ${schema('Order')} }, "400": { description: Refused. }, "422": { description: The key was used. } }
    get:
      operationId: listOrders
      responses: { "200": { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Order' } } } } } }
  /orders/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    get:
      operationId: getOrder
      responses: { "200": { description: One., content: ${schema('Order')} }, "400": { description: No id. }, "404": { description: None. } }
    delete:
      operationId: removeOrder
      responses: { "204": { description: Gone. }, "400": { description: No id. }, "404": { description: None. } }
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  schemas:
    NewOrder: { type: object, required: [title], properties: { title: { type: string, minLength: 1, maxLength: 50 } } }
    Order: { type: object, required: [id, title], properties: { id: { type: integer }, title: { type: string } } }
`;

interface Kept {
  readonly sent: Value;
  readonly answer: Answered;
}

interface Habits {
  /** Under which name a key is kept; undefined if it is not kept. */
  readonly nameOf?: (caller: string, key: string, body: Value) => string | undefined;
  /** What a key with another body is answered; by default 422. */
  readonly toOther?: (kept: Kept) => Answered;
  /** Whether the same request makes one more, and is answered as before. */
  readonly makesMore?: boolean;
  /** What the document says of the key; by default nothing. */
  readonly says?: string;
}

async function checked(
  t: Test,
  {
    nameOf = (caller, key) => `${caller} ${key}`,
    toOther = () => ({ status: 422 }),
    makesMore = false,
    says,
  }: Habits,
): Promise<string[]> {
  const orders = new Map<string, { readonly owner: string; readonly order: ValueObject }>();
  const keys = new Map<string, Kept>();
  let count = 0;
  const { found } = await checkServer(t, {
    ...{ yaml: yamlThatSays(says), rules: ['retries', 'isolation'] },
    answers: {
      addOrder: ({ body, caller, headers }) => {
        const { 'idempotency-key': key = '', 'x-tenant': tenant } = headers;
        if (key === '' || tenant !== 'one') return { status: 400 };
        const name = nameOf(caller, String(key), body);
        const kept = keys.get(name ?? '');
        const isSame = kept !== undefined && sameValue(kept.sent, body);
        const order = { ...(isObject(body) ? body : {}), id: BigInt(++count) };
        if (kept === undefined || (isSame && makesMore)) orders.set(String(count), { owner: caller, order });
        if (kept !== undefined) return isSame ? kept.answer : toOther(kept);
        const answer = { status: 201, body: order };
        if (name !== undefined) keys.set(name, { sent: body, answer });
        return answer;
      },
      listOrders: ({ caller }) => ({
        status: 200,
        body: [...orders.values()].filter(({ owner }) => owner === caller).map(({ order }) => order),
      }),
      getOrder: ({ id, caller }) => {
        const kept = orders.get(id);
        return kept?.owner === caller ? { status: 200, body: kept.order } : { status: 404 };
      },
      removeOrder: ({ id, caller }) => {
        if (orders.get(id)?.owner !== caller) return { status: 404 };
        orders.delete(id);
        return { status: 204 };
      },
    },
  });
  return found;
}

t.test('a server that knows a request again is passed', async (t) => {
  t.same(await checked(t, {}), [], 'another body is refused');
  const sayings = [
    '',
    'A key with another body is answered as the first one, and not refused.',
    'A request with a different payload gets the first answer, without an error.',
    'If the first request has failed, another request may be sent with the same key.',
  ];
  for (const says of sayings) {
    const replayed = await checked(t, { toOther: ({ answer }) => answer, says });
    t.same(replayed, [], `another body is answered as the first one: ${says}`);
  }
});

const flaws: readonly { readonly name: string; readonly habits: Habits; readonly rule: string }[] = [
  {
    name: 'keys are ignored',
    habits: { nameOf: () => undefined },
    rule: 'a request that is sent again makes another item',
  },
  {
    name: 'a request that is sent again is answered as before, and makes one more',
    habits: { makesMore: true },
    rule: 'a request that is sent again makes another item',
  },
  {
    name: 'a key counts with its body only',
    habits: { nameOf: (caller, key, body) => `${caller} ${key} ${isObject(body) ? body['title'] : ''}` },
    rule: 'a key is taken for another body',
  },
  {
    name: 'a key that the document refuses with another body is answered as before',
    habits: {
      toOther: ({ answer }) => answer,
      says: 'The same key with the same body makes nothing more. With another body, it is refused with 422.',
    },
    rule: 'a key is taken for another body',
  },
  {
    name: 'keys are those of all owners, and refused',
    habits: { nameOf: (_, key) => key },
    rule: 'the key of another owner is taken for the own one',
  },
  {
    name: 'keys are those of all owners, and the answer of one is shown to another',
    habits: { nameOf: (_, key) => key, toOther: ({ answer }) => answer },
    rule: 'the key of another owner is taken for the own one',
  },
];

for (const { name, habits, rule } of flaws) {
  t.test(`a fault of retries is found: ${name}`, async (t) => {
    t.same(await checked(t, habits), [`addOrder: ${rule}`]);
  });
}
