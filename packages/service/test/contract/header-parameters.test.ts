import t from 'tap';
import {
  contractOf,
  documentOf,
  documentOfLooks,
  documentOfParameters,
  routed,
  serve,
} from '../support/contract/contract.js';
import { refusesDocuments, starting } from '../support/contract/documents.js';
import { accepts, inCookie, inHeader, refuses } from '../support/contract/requests.js';

const ending = 'Host: here\r\nConnection: close\r\n\r\n';

t.test('a header parameter is read by its type', async (t) => {
  await accepts(t, inHeader, {
    '{ type: string }': [
      ['a b', 'a b'],
      ['', ''],
      ['a,b', 'a,b'],
      ['"a"', '"a"'],
      ['%41+', '%41+'],
      ['!~', '!~'],
    ],
    '{ type: string, enum: [up, down] }': [['up', 'up']],
    '{ type: integer, format: int64 }': [
      ['9007199254740993', 9007199254740993n],
      ['-9223372036854775808', -9223372036854775808n],
    ],
    '{ type: integer, format: int32 }': [
      ['7', 7],
      ['  7\t', 7],
    ],
    '{ type: number }': [['0.5', 0.5]],
    '{ type: boolean }': [['true', true]],
    '{ type: string, format: uuid }': [
      ['123e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'],
    ],
  });
});

t.test('a header parameter that does not fit its schema is a 400', async (t) => {
  const noInt32 = 'header/X-Value must be an integer from -2147483648 to 2147483647.';
  await refuses(t, inHeader, {
    '{ type: integer, format: int32 }': [
      ['1e3', noInt32],
      ['', noInt32],
      ['2147483648', noInt32],
    ],
    '{ type: boolean }': [['TRUE', 'header/X-Value must be boolean.']],
    '{ type: string, enum: [up, down] }': [['Up', 'header/X-Value must be one of "up", "down".']],
    '{ type: string, maxLength: 1 }': [['ab', 'header/X-Value must NOT have more than 1 character.']],
    '{ type: string }': [
      ['ä', 'header/X-Value must consist of US-ASCII characters (RFC 9110, section 5.5).'],
    ],
  });
});

t.test('the name of a header parameter matches in any letter case (RFC 9110, section 5.1)', async (t) => {
  const { exchange, seen } = await serve(
    t,
    documentOfParameters('{ name: X-Value, in: header, required: true, schema: { type: string } }'),
  );
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
  const required = { ...inHeader, rest: ', required: true' };
  await accepts(t, inHeader, { '{ type: string }': [[undefined, undefined]] });
  await refuses(t, required, { '{ type: string }': [[undefined, 'header/X-Value is missing.']] });
  // An empty header is not absent.
  await accepts(t, required, { '{ type: string }': [['', '']] });
});

t.test('a cookie parameter is read by its type', async (t) => {
  await accepts(t, inCookie, {
    '{ type: string }': [
      ['value=a', 'a'],
      ['other=x; value=a; more=y', 'a'],
      ['other=x;value=a;more=y', 'a'],
      [' value = a ', 'a'],
      ['value=', ''],
      ['value=a=b==', 'a=b=='],
      ['value="a"', '"a"'],
      ['value=%C3%A4%3B%2C%22+', 'ä;,"+'],
      ['value=%2541', '%41'],
      ['value; value=a; =b;;', 'a'],
      ['Value=x; value=a', 'a'],
      ['other=%FF; value=a', 'a'],
    ],
    '{ type: integer, format: int64 }': [['value=9007199254740993', 9007199254740993n]],
    '{ type: integer, format: int32 }': [['value=7', 7]],
    '{ type: boolean }': [['value=false', false]],
  });
});

t.test('a cookie parameter that does not fit its schema is a 400', async (t) => {
  const noInt32 = 'cookie/value must be an integer from -2147483648 to 2147483647.';
  await refuses(t, inCookie, {
    '{ type: integer, format: int32 }': [
      ['value=x', noInt32],
      ['value="7"', noInt32],
    ],
    '{ type: string, maxLength: 1 }': [['value=ab', 'cookie/value must NOT have more than 1 character.']],
    '{ type: string }': [
      ['value=%FF', 'cookie/value has a broken percent-encoding.'],
      ['value=100%', 'cookie/value has a broken percent-encoding.'],
      ['value=ä', 'cookie/value must consist of US-ASCII characters (RFC 9110, section 5.5).'],
      ['value=a; value=b', 'cookie/value must not come more than once.'],
      ['value=a; value=a; value=a', 'cookie/value must not come more than once.'],
    ],
  });
});

t.test('cookies may be spread over several headers (RFC 9113, section 8.2.3)', async (t) => {
  const { exchange, seen } = await serve(
    t,
    documentOfParameters('{ name: value, in: cookie, schema: { type: string } }'),
  );
  t.match(
    await exchange(`GET /look HTTP/1.1\r\nCookie: other=x\r\nCookie: value=a\r\n${ending}`),
    /^HTTP\/1\.1 204/,
  );
  t.strictSame(seen.at(-1)?.cookie, { value: 'a' });
});

t.test('an absent cookie parameter is a 400 if it is required, and left out otherwise', async (t) => {
  const missing = 'cookie/value is missing.';
  await accepts(t, inCookie, { '{ type: string }': [[undefined, undefined]] });
  await refuses(
    t,
    { ...inCookie, rest: ', required: true' },
    {
      '{ type: string }': [
        ['', missing],
        ['Value=a', missing],
        ['value', missing],
        ['values=a', missing],
      ],
    },
  );
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
  await refusesDocuments(t, starting, documentOfParameters, {
    '§{ name: Accept, in: header, schema: { type: string } }':
      'OpenAPI ignores a header parameter Accept: take it away, the "content" of each response says it.',
    '§{ name: content-type, in: header, schema: { type: string } }':
      'OpenAPI ignores a header parameter content-type: take it away, the "content" of the request body says it.',
    '§{ name: AUTHORIZATION, in: header, schema: { type: string } }':
      'OpenAPI ignores a header parameter AUTHORIZATION: take it away, "security" says it.',
    '§{ name: "X Value", in: header, schema: { type: string } }':
      'a header cannot be called "X Value": write a token (RFC 9110).',
    '§{ name: "a=b", in: cookie, schema: { type: string } }':
      'a cookie cannot be called "a=b": write a token (RFC 9110).',
    '{ name: X-Value, in: header, schema: { type: string } }, §{ name: x-value, in: header, schema: { type: string } }':
      'x-value is the header X-Value in other letters: keep one of the two.',
    '§{ name: X-Value, in: header, schema: { type: object } }': /a parameter of type "object"/,
    '§{ name: X-Value, in: header, schema: { type: integer } }': /^look, header\/X-Value: an integer needs/,
    '§{ name: value, in: query, style: spaceDelimited, schema: { type: array, items: { type: string } } }':
      /in the query no "style" but "form"/,
    '§{ name: value, in: cookie, content: { text/plain: {} } }': /^the parameter value needs a "schema"/,
  });
  const allowed = documentOfParameters(
    ...['query', 'cookie'].map((part) => `{ name: Accept, in: ${part}, schema: { type: string } }`),
  );
  t.ok(await routed(await contractOf(t, allowed), {}), 'only in headers they are ignored');
});
