import t, { type Test } from 'tap';
import {
  contractOf,
  documentOf,
  documentOfLooks,
  documentOfParameters,
  faultOf,
  looksAt,
  routed,
  serve,
} from '../support/contract/contract.js';

const inHeader = (schema: string, name = 'X-Value', rest = '') =>
  documentOfParameters(`{ name: ${name}, in: header${rest}, schema: ${schema} }`);
const inCookie = (schema: string, rest = '') =>
  documentOfParameters(`{ name: value, in: cookie${rest}, schema: ${schema} }`);

type Part = 'header' | 'cookie';

/** Sends each text as the parameter of its schema; the handler must get the value. */
async function accepts(
  t: Test,
  part: Part,
  name: string,
  cases: readonly (readonly [schema: string, text: string, value: unknown])[],
) {
  const { yaml, pathOf } = looksAt(
    part,
    name,
    cases.map(([schema]) => schema),
  );
  const { call, seen } = await serve(t, yaml);
  for (const [schema, text, value] of cases) {
    const headers = { [part === 'header' ? name : 'Cookie']: text };
    t.equal((await call('GET', pathOf(schema), { headers })).status, 204, `${schema} ${text}`);
    t.strictSame(Object(seen.at(-1)?.[part]), { [name]: value }, text);
  }
}

/** Sends each text as the parameter of its schema; the answer must be a 400 with the fault. */
async function refuses(
  t: Test,
  part: Part,
  name: string,
  cases: readonly (readonly [schema: string, text: string, fault: string])[],
) {
  const { yaml, pathOf } = looksAt(
    part,
    name,
    cases.map(([schema]) => schema),
  );
  const { call, seen } = await serve(t, yaml);
  for (const [schema, text, fault] of cases) {
    const headers = { [part === 'header' ? name : 'Cookie']: text };
    const answer = await call('GET', pathOf(schema), { headers });
    t.equal(answer.status, 400, `${schema} ${text}`);
    t.equal(answer.text, `${part}/${name} ${fault}`);
    t.strictSame(seen, []);
  }
}

const ending = 'Host: here\r\nConnection: close\r\n\r\n';

t.test('a header parameter is read by its type', async (t) => {
  await accepts(t, 'header', 'X-Value', [
    ['{ type: string }', 'a b', 'a b'],
    ['{ type: string }', '', ''],
    ['{ type: string }', 'a,b', 'a,b'],
    ['{ type: string }', '"a"', '"a"'],
    ['{ type: string }', '%41+', '%41+'],
    ['{ type: string }', '!~', '!~'],
    ['{ type: string, enum: [up, down] }', 'up', 'up'],
    ['{ type: integer, format: int64 }', '9007199254740993', 9007199254740993n],
    ['{ type: integer, format: int64 }', '-9223372036854775808', -9223372036854775808n],
    ['{ type: integer, format: int32 }', '7', 7],
    ['{ type: integer, format: int32 }', '  7\t', 7],
    ['{ type: number }', '0.5', 0.5],
    ['{ type: boolean }', 'true', true],
    [
      '{ type: string, format: uuid }',
      '123e4567-e89b-12d3-a456-426614174000',
      '123e4567-e89b-12d3-a456-426614174000',
    ],
  ]);
});

t.test('a header parameter that does not fit its schema is a 400', async (t) => {
  await refuses(t, 'header', 'X-Value', [
    ['{ type: integer, format: int32 }', '1e3', 'must be an integer from -2147483648 to 2147483647.'],
    ['{ type: integer, format: int32 }', '', 'must be an integer from -2147483648 to 2147483647.'],
    ['{ type: integer, format: int32 }', '2147483648', 'must be an integer from -2147483648 to 2147483647.'],
    ['{ type: boolean }', 'TRUE', 'must be boolean.'],
    ['{ type: string, enum: [up, down] }', 'Up', 'must be one of "up", "down".'],
    ['{ type: string, maxLength: 1 }', 'ab', 'must NOT have more than 1 characters.'],
    ['{ type: string }', 'ä', 'must consist of US-ASCII characters (RFC 9110, section 5.5).'],
  ]);
});

t.test('the name of a header parameter matches in any letter case (RFC 9110, section 5.1)', async (t) => {
  const { exchange, seen } = await serve(t, inHeader('{ type: string }', 'X-Value', ', required: true'));
  for (const name of ['X-Value', 'x-value', 'X-VALUE', 'x-VaLuE']) {
    t.match(await exchange(`GET /look HTTP/1.1\r\n${name}: a\r\n${ending}`), /^HTTP\/1\.1 204/, name);
    t.strictSame(
      seen.at(-1)?.header,
      { 'X-Value': 'a' },
      'and the handler knows it as the contract writes it',
    );
  }
  for (const name of ['X_Value', 'X-Values', 'Value']) {
    t.match(
      await exchange(`GET /look HTTP/1.1\r\n${name}: a\r\n${ending}`),
      /^HTTP\/1\.1 400.+header\/X-Value is missing\.$/s,
      name,
    );
  }
});

t.test('a header may be called as what every object inherits', async (t) => {
  const names = ['constructor', 'toString'];
  const { exchange, seen } = await serve(
    t,
    documentOfLooks(
      names.map((name) => [`/${name}`, [`{ name: ${name}, in: header, schema: { type: string } }`]]),
    ),
  );
  for (const name of names) {
    for (const other of ['__proto__', 'constructor', 'toString', 'X-Value'].filter((one) => one !== name)) {
      t.match(await exchange(`GET /${name} HTTP/1.1\r\n${other}: 1\r\n${ending}`), /^HTTP\/1\.1 204/, other);
      t.strictSame(seen.at(-1)?.header, {}, `${name} is absent`);
    }
    t.match(await exchange(`GET /${name} HTTP/1.1\r\n${name}: 1\r\n${ending}`), /^HTTP\/1\.1 204/);
    t.strictSame(seen.at(-1)?.header, { [name]: '1' });
  }
});

t.test('a header that comes twice is read as one list with commas (RFC 9110, section 5.3)', async (t) => {
  const twice = (path: string, name: string, ...values: string[]) =>
    `GET ${path} HTTP/1.1\r\n${values.map((value) => `${name}: ${value}\r\n`).join('')}${ending}`;
  // Node.js keeps only the first of some repeated headers, such as From.
  const names = ['X-Value', 'From', 'User-Agent', 'Max-Forwards'];
  const { exchange, seen } = await serve(
    t,
    documentOfLooks(
      names.flatMap((name) => [
        [`/text${name}`, [`{ name: ${name}, in: header, schema: { type: string } }`]],
        [`/integer${name}`, [`{ name: ${name}, in: header, schema: { type: integer, format: int32 } }`]],
      ]),
    ),
  );
  for (const name of names) {
    t.match(await exchange(twice(`/text${name}`, name, 'a', 'b, c')), /^HTTP\/1\.1 204/, name);
    t.strictSame(seen.at(-1)?.header, { [name]: 'a, b, c' });
    t.match(await exchange(twice(`/integer${name}`, name, '1', '2')), /^HTTP\/1\.1 400/, name);
    t.match(await exchange(twice(`/integer${name}`, name, '1', '1')), /^HTTP\/1\.1 400/, name);
  }
});

t.test('an absent header parameter is a 400 if it is required, and left out otherwise', async (t) => {
  const optional = await serve(t, inHeader('{ type: string }'));
  t.equal((await optional.call('GET', '/look')).status, 204);
  t.strictSame(optional.seen.at(-1)?.header, {});
  const required = await serve(t, inHeader('{ type: string }', 'X-Value', ', required: true'));
  t.equal((await required.call('GET', '/look')).text, 'header/X-Value is missing.');
  t.equal(
    (await required.call('GET', '/look', { headers: { 'X-Value': '' } })).status,
    204,
    'an empty one is there',
  );
});

t.test('a cookie parameter is read by its type', async (t) => {
  await accepts(t, 'cookie', 'value', [
    ['{ type: string }', 'value=a', 'a'],
    ['{ type: string }', 'other=x; value=a; more=y', 'a'],
    ['{ type: string }', 'other=x;value=a;more=y', 'a'],
    ['{ type: string }', ' value = a ', 'a'],
    ['{ type: string }', 'value=', ''],
    ['{ type: string }', 'value=a=b==', 'a=b=='],
    ['{ type: string }', 'value="a"', '"a"'],
    ['{ type: string }', 'value=%C3%A4%3B%2C%22+', 'ä;,"+'],
    ['{ type: string }', 'value=%2541', '%41'],
    ['{ type: string }', 'value; value=a; =b;;', 'a'],
    ['{ type: string }', 'Value=x; value=a', 'a'],
    ['{ type: string }', 'other=%FF; value=a', 'a'],
    ['{ type: integer, format: int64 }', 'value=9007199254740993', 9007199254740993n],
    ['{ type: integer, format: int32 }', 'value=7', 7],
    ['{ type: boolean }', 'value=false', false],
  ]);
});

t.test('a cookie parameter that does not fit its schema is a 400', async (t) => {
  await refuses(t, 'cookie', 'value', [
    ['{ type: integer, format: int32 }', 'value=x', 'must be an integer from -2147483648 to 2147483647.'],
    ['{ type: integer, format: int32 }', 'value="7"', 'must be an integer from -2147483648 to 2147483647.'],
    ['{ type: string, maxLength: 1 }', 'value=ab', 'must NOT have more than 1 characters.'],
    ['{ type: string }', 'value=%FF', 'has a broken percent-encoding.'],
    ['{ type: string }', 'value=100%', 'has a broken percent-encoding.'],
    ['{ type: string }', 'value=ä', 'must consist of US-ASCII characters (RFC 9110, section 5.5).'],
    ['{ type: string }', 'value=a; value=b', 'must not come more than once.'],
    ['{ type: string }', 'value=a; value=a; value=a', 'must not come more than once.'],
  ]);
});

t.test('cookies may be spread over several headers (RFC 9113, section 8.2.3)', async (t) => {
  const { exchange, seen } = await serve(t, inCookie('{ type: string }'));
  t.match(
    await exchange(`GET /look HTTP/1.1\r\nCookie: other=x\r\nCookie: value=a\r\n${ending}`),
    /^HTTP\/1\.1 204/,
  );
  t.strictSame(seen.at(-1)?.cookie, { value: 'a' });
});

t.test('an absent cookie parameter is a 400 if it is required, and left out otherwise', async (t) => {
  const optional = await serve(t, inCookie('{ type: string }'));
  t.equal((await optional.call('GET', '/look')).status, 204);
  t.strictSame(optional.seen.at(-1)?.cookie, {});
  const required = await serve(t, inCookie('{ type: string }', ', required: true'));
  for (const cookie of ['', 'Value=a', 'value', 'values=a']) {
    t.equal(
      (await required.call('GET', '/look', { headers: { cookie } })).text,
      'cookie/value is missing.',
      cookie,
    );
  }
});

t.test('an operation reads its own headers and cookies, and no others', async (t) => {
  const { call, seen } = await serve(
    t,
    documentOf(`
  /plain:
    get: { operationId: plain, responses: { 204: { description: Seen. } } }
  /cased:
    parameters:
      - { name: X-Value, in: header, required: true, schema: { type: integer, format: int32 } }
    get:
      operationId: cased
      parameters: [{ name: x-value, in: header, schema: { type: boolean } }]
      responses: { 204: { description: Seen. } }`),
  );
  const headers = { 'X-Value': 'true', cookie: 'a=b' };
  t.equal((await call('GET', '/plain', { headers })).status, 204);
  t.equal(seen.at(-1)?.header, undefined);
  t.equal(seen.at(-1)?.cookie, undefined);
  t.equal((await call('GET', '/cased', { headers })).status, 204, "its own takes the place of the path's");
  t.strictSame(seen.at(-1)?.header, { 'x-value': true });
  t.equal(seen.at(-1)?.cookie, undefined);
});

t.test('header and cookie parameters without a meaning stop the start', async (t) => {
  for (const [parameters, fault] of [
    ...[
      ['Accept', 'the "content" of each response says it'],
      ['content-type', 'the "content" of the request body says it'],
      ['AUTHORIZATION', '"security" says it'],
    ].map(
      ([name, instead]) =>
        [
          [`{ name: ${name}, in: header, schema: { type: string } }`],
          `contract.yaml:7:20: OpenAPI ignores a header parameter ${name}: take it away, ${instead}.`,
        ] as const,
    ),
    [
      ['{ name: "X Value", in: header, schema: { type: string } }'],
      'contract.yaml:7:20: a header cannot be called "X Value": write a token (RFC 9110).',
    ],
    [
      ['{ name: "a=b", in: cookie, schema: { type: string } }'],
      'contract.yaml:7:20: a cookie cannot be called "a=b": write a token (RFC 9110).',
    ],
    [
      [
        '{ name: X-Value, in: header, schema: { type: string } }',
        '{ name: x-value, in: header, schema: { type: string } }',
      ],
      /^contract\.yaml:7:\d+: x-value is the header X-Value in other letters: keep one of the two\.$/,
    ],
    [['{ name: X-Value, in: header, schema: { type: object } }'], 'a parameter of type "object"'],
    [['{ name: X-Value, in: header, schema: { type: integer } }'], /look, header\/X-Value: an integer needs/],
    [
      ['{ name: value, in: query, style: spaceDelimited, schema: { type: array, items: { type: string } } }'],
      /in the query no "style" but "form"/,
    ],
    [['{ name: value, in: cookie, content: { text/plain: {} } }'], 'the parameter value needs a "schema"'],
  ] as const) {
    const start = contractOf(t, documentOfParameters(...parameters)).then((contract) => routed(contract, {}));
    t.match(await faultOf(t, start), fault, parameters.join());
  }
  const allowed = documentOfParameters(
    ...['query', 'cookie'].map((part) => `{ name: Accept, in: ${part}, schema: { type: string } }`),
  );
  t.ok(await routed(await contractOf(t, allowed), {}), 'only in headers they are ignored');
});
