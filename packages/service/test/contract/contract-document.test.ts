import t from 'tap';
import { readContract } from '../../../service-tools/index.js';
import { contractOf, documentOf, documentOfBody, faultOf } from '../support/contract/contract.js';
import { reading, refusesDocuments } from '../support/contract/documents.js';

const done = 'responses: { 204: { description: Done. } }';

t.test('an operation has what the document says about it', async (t) => {
  const { root, operations, text } = await contractOf(
    t,
    documentOf(
      `
  /jars/{jar}:
    put:
      operationId: fillJar
      security: [{ key: [], bearer: [] }]
      parameters: [{ name: jar, in: path, required: true, schema: { type: integer, format: int64 } }]
      requestBody: { $ref: '#/components/requestBodies/Filling' }
      responses:
        200: { $ref: '#/components/responses/Filled' }
        "404": { description: No such jar. }
        x-note: none
    get: { operationId: seeJar, security: [], parameters: [{ $ref: '#/components/parameters/Jar' }], ${done} }
  /jars:
    get: { operationId: listJars, ${done} }`,
      `
security: [{ bearer: [] }]
components:
  parameters: { Jar: { name: jar, in: path, required: true, schema: { type: string } } }
  requestBodies:
    Filling: { x-limits: { bytes: 10, depth: 1000 }, content: { application/json: { schema: { type: string } } } }
  responses: { Filled: { description: Filled., content: { application/json: { schema: { type: string } } } } }
  securitySchemes: { bearer: { type: http, scheme: bearer }, key: { type: apiKey, in: header, name: Key } }`,
    ),
  );
  const [seeJar, fillJar, listJars] = operations;
  t.match(fillJar, {
    id: 'fillJar',
    method: 'PUT',
    path: '/jars/{jar}',
    security: [['key', 'bearer']],
    parameters: [{ name: 'jar', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }],
    requestBody: {
      required: false,
      content: new Map([['application/json', { schema: { type: 'string' } }]]),
      limits: { bytes: 10, depth: 1000 },
    },
    place: /contract\.yaml:6:7$/,
  });
  t.strictSame([...(fillJar?.responses.keys() ?? [])], [200, 404]);
  t.match(
    seeJar,
    { id: 'seeJar', method: 'GET', security: [], requestBody: undefined },
    'a public operation',
  );
  t.match(
    listJars,
    { id: 'listJars', security: [['bearer']], parameters: [] },
    'the security of the document',
  );
  t.match(text, 'operationId: fillJar');
  t.match(root.value, {
    paths: { '/jars/{jar}': { put: { requestBody: { $ref: '#/components/requestBodies/Filling' } } } },
  });
});

t.test('operations of a document without security are public', async (t) => {
  const { operations } = await contractOf(t, documentOf(`  /a: { get: { operationId: a, ${done} } }`));
  t.strictSame(operations[0]?.security, []);
  const empty = await contractOf(t, documentOf(`  /a: { get: { operationId: a, security: [{}], ${done} } }`));
  t.strictSame(empty.operations[0]?.security, []);
});

t.test('a node has its line and column, and a missing node those of its nearest ancestor', async (t) => {
  const { place } = await contractOf(
    t,
    documentOf(`
  /a:
    get:
      operationId: a
      parameters:
        - { name: b, in: query, schema: { type: string } }
        - name: c
          in: query
          schema: { type: string }
      ${done}`),
  );
  for (const [path, at] of [
    [[], '1:1'],
    [['openapi'], '1:10'],
    [['paths'], '4:3'],
    [['paths', '/a', 'get'], '6:7'],
    [['paths', '/a', 'get', 'operationId'], '6:20'],
    [['paths', '/a', 'get', 'parameters', 0], '8:11'],
    [['paths', '/a', 'get', 'parameters', 1, 'schema', 'type'], '11:27'],
    [['paths', '/a', 'get', 'parameters', 7, 'schema'], '8:9'],
    [['paths', '/a', 'put', 'security'], '5:5'],
    [['paths', '/a', 'get', 'operationId', 'deeper'], '6:20'],
    [['components', 'schemas', 'A'], '1:1'],
  ] as const) {
    t.match(place(path), new RegExp(`contract\\.yaml:${at}$`), path.join(' '));
  }
});

t.test('reading a contract that does not exist fails with ENOENT', async (t) => {
  await t.rejects(readContract('/nowhere/contract.yaml'), { code: 'ENOENT' });
});

t.test('a document that is not OpenAPI in YAML is refused with its place', async (t) => {
  const noMap = 'an OpenAPI document is a map: begin it with "openapi: 3.0.3".';
  await refusesDocuments(t, reading, (yaml) => yaml, {
    'openapi: 3.0.3\ninfo: {§': /^.+/,
    'a: 1\nb: "': /^contract\.yaml:2:\d: .+/,
    'a: 1\n§a: 2': /unique/,
    'a: 1\n§---\nb: 2': /another document begins here/,
    '§a: *nowhere': /nowhere/,
    'x-a: &a { b: §*a }': '*a stands within &a, and would have no end: write it out.',
    'a: &a\n  - &b [1]\n  - [*b, §*a]': /^\*a stands within &a, and would have no end/,
    '# Old\n§%YAML 1.1\n---\na: 2020-01-01': 'YAML 1.1 is not supported: take this line away.',
    '%YAML §1.3\n---\na: 1': 'Unsupported YAML version 1.3: take this line away.',
    'a: §!!timestamp 2020-01-01': /^Unresolved tag: .*timestamp: take the tag away\.$/,
    'a: §!Own b': 'Unresolved tag: !Own: take the tag away.',
    '§': noMap,
    '§text': noMap,
    '§[1, 2]': noMap,
    '§{}': /^"openapi" is missing: write "openapi: 3\.0\.3"/,
    '§openapi: 3.0.3': /^"info" is missing: add it\.\ncontract\.yaml:1:1: "paths" is missing/,
    'openapi: 3.0.3\ninfo: §{ title: a }\npaths: {}': '"version" is missing: add it.',
    'openapi: §3.2\ninfo: { title: a, version: 1.0.0 }\npaths: {}':
      /^the version is a text with three numbers: write "openapi: 3\.0\.3"/,
    'swagger: §"2.0"\ninfo: { title: a, version: 1.0.0 }\npaths: {}':
      /^Swagger 2\.0 is not supported: convert the document/,
    'openapi: §4.0.0\ninfo: { title: a, version: 1.0.0 }\npaths: {}':
      /^OpenAPI 4\.0\.0 is not supported: write "openapi: 3\.0\.3"/,
    [documentOf('  /a: { get: { operationId: a } }')]: /responses/,
    [documentOfBody('{ type: string, const: §a }')]: /^"const" has no meaning here: /,
  });
});

/** An operation of `/a/{b}` or, if `rest` has no path parameter, of `/a`, in line 5. */
function operationWith(rest: string): string {
  const path = rest.includes('in: path') ? '/a/{b}' : '/a';
  const responses = rest.includes('responses') ? '' : `, ${done}`;
  return documentOf(`  ${path}:\n    post: { operationId: a, ${rest}${responses} }`);
}

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;

t.test('a mistake against OpenAPI is reported once, with its place and what to write instead', async (t) => {
  const types = 'array, boolean, integer, number, object, string';
  await refusesDocuments(t, reading, operationWith, {
    'tags: §5': '5 is of the wrong type: write a list ("[…]" or "- …").',
    'summary: §[a]': '["a"] is of the wrong type: write a string.',
    'descripton: §a':
      '"descripton" has no meaning here: correct its name, take it away, or begin its name with "x-".',
    'parameters: [{ name: b, in: query, schema: { type: §dictionary } }]': `"dictionary" is not allowed here: write one of ${types}.`,
    // The member "size" would be fine beside the type that was meant.
    'parameters: [{ name: b, in: query, schema: { type: §integr, size: 4 } }]': `"integr" is not allowed here: write one of ${types}.`,
    'responses: §{}': 'this map is too small: it needs 1 or more members.',
    'parameters: [{ name: b, in: query, schema: { type: string, enum: §[] } }]':
      'this list is too short: it needs 1 or more items.',
    [`parameters: [§{ name: b, in: query, schema: {}, ${json('{}')} }]`]:
      '"schema" and "content" exclude each other: keep one.',
    'parameters: [§{ name: b, in: query, schema: {}, example: 1, examples: { c: { value: 1 } } }]':
      '"example" and "examples" exclude each other: keep one.',
  });
  await refusesDocuments(t, reading, documentOf, {
    [`  /100%: { get: { tags: §5, ${done} } }`]: '5 is of the wrong type: write a list ("[…]" or "- …").',
  });
  const several = operationWith('tags: 5, responses: { 204: { description: Done., colour: red } }');
  t.strictSame((await faultOf(t, contractOf(t, several))).split('\n').sort(), [
    'contract.yaml:5:35: 5 is of the wrong type: write a list ("[…]" or "- …").',
    'contract.yaml:5:86: "colour" has no meaning here: correct its name, take it away, or begin its name with "x-".',
  ]);
});

t.test('an operation that needs an unsupported feature is refused with its place', async (t) => {
  const notAmongHttp = (scheme: string) =>
    `alternatives are supported among schemes of "type: http" only, and "${scheme}" is none: keep one requirement.`;
  const noStyleBut = (part: string, style: string) =>
    `the parameter b needs a "schema", no "allowEmptyValue", and in the ${part} no "style" but "${style}".`;
  const otherFile = 'another file is not read: bundle all files into one, such as by Redocly\'s "bundle".';
  await refusesDocuments(t, reading, operationWith, {
    'security: §[{ a: [] }, {}]': notAmongHttp('a'),
    'security: §[{}, { a: [], b: [] }]': notAmongHttp('a'),
    'security: §[{ a: [read] }]': 'security scopes are not supported: leave the list of scopes empty.',

    [`parameters: [§{ name: b, in: query, ${json('{}')} }]`]: noStyleBut('query', 'form'),
    'parameters: [§{ name: b, in: query, style: deepObject, schema: {} }]': noStyleBut('query', 'form'),
    'parameters: [§{ name: b, in: query, allowEmptyValue: true, schema: {} }]': noStyleBut('query', 'form'),
    'parameters: [§{ name: b, in: path, required: true, style: matrix, schema: {} }]': noStyleBut(
      'path',
      'simple',
    ),
    [`parameters: [§{ name: b, in: header, ${json('{}')} }]`]: noStyleBut('header', 'simple'),
    'parameters: [{ name: c, in: query, schema: {} }, §{ name: Accept, in: header, schema: {} }]':
      'OpenAPI ignores a header parameter Accept: take it away, the "content" of each response says it.',
    'parameters: [§{ name: __proto__, in: query, schema: { type: string } }]':
      'a parameter cannot be called "__proto__": give it another name.',

    'parameters: [{ $ref: §"other.yaml#/b" }]': otherFile,
    'requestBody: { $ref: §"https://other.example/b.yaml" }': otherFile,
    'responses: { 200: { $ref: §"other.yaml#/b" } }': otherFile,

    'responses: { 200: { description: A., content: §{ application/json: { schema: {} }, application/a+json: { schema: {} } } } }':
      'an answer of several media types is not supported: keep one.',
  });
  const schemes =
    'components: { securitySchemes: { a: { type: http, scheme: bearer }, b: { type: apiKey, in: header, name: Key } } }';
  await refusesDocuments(t, reading, (rest) => operationWith(rest) + schemes, {
    'security: §[{ a: [] }, { b: [] }]': notAmongHttp('b'),
  });

  const notJson = 'a body must be JSON: name it application/json, or by a type that ends in "+json".';
  for (const holder of [
    'requestBody: { content: CONTENT }',
    'responses: { 200: { description: A., content: CONTENT } }',
  ])
    await refusesDocuments(t, reading, (content) => operationWith(holder.replace('CONTENT', content)), {
      '{ text/plain: §{ schema: {} } }': notJson,
      '{ application/json: { schema: {} }, text/plain: §{ schema: {} } }': notJson,
      '{ application/json: §{} }': 'the "schema" of the body is missing: add it.',
      '{ "application/json; charset=utf-8": §{ schema: {} } }': notJson,
      '{ Application/JSON: §{ schema: {} } }': notJson,
      '{ application/json-patch: §{ schema: {} } }': notJson,
      '{ application/*: §{ schema: {} } }': notJson,
      '§{}': 'the media type is missing: add application/json.',
    });
});

t.test('a status uses its own response, else that of its range, else the default', async (t) => {
  const { operations } = await contractOf(
    t,
    documentOf(`
  /a:
    get:
      operationId: a
      responses:
        default: { description: All others. }
        1XX: { description: Before the answer. }
        4XX: { description: Refused. }
        404: { description: Not there. }
        103: { description: Hints. }
  /b: { get: { operationId: b, responses: { 2XX: { description: Done. } } } }`),
  );
  const [a, b] = operations.map(({ responses }) => responses);
  const keysAt = (statuses: readonly number[]) => statuses.map((status) => a?.get(status)?.key);
  t.strictSame(keysAt([200, 399, 400, 403, 404, 499, 500, 599]), [
    ...['default', 'default', '4XX', '4XX', '404', '4XX', 'default', 'default'],
  ]);
  t.strictSame(
    keysAt([100, 103, 199, 600]),
    [undefined, undefined, undefined, undefined],
    'no end of a request',
  );
  t.strictSame([b?.size, b?.has(200), b?.has(299), b?.has(300)], [100, true, true, false]);
});

t.test('a path and its parameters must have the same names', async (t) => {
  const pathOf = 'GET /a/{b}/{c} does not describe';
  await refusesDocuments(t, reading, documentOf, {
    [`  /a/{b}/{c}: { get: §{ operationId: a, ${done} } }`]: [
      `${pathOf} {b}: add a parameter with "in: path".`,
      `contract.yaml:4:22: ${pathOf} {c}: add a parameter with "in: path".`,
    ].join('\n'),
  });
  const one = '{ name: b, in: path, required: true, schema: { type: string } }';
  const other = operationWith(`parameters: [${one}, { name: c, in: path, required: true, schema: {} }]`);
  await refusesDocuments(t, reading, (yaml) => yaml, {
    [other.replace('post: {', 'post: §{')]:
      '/a/{b} and the parameters in the path differ in c: name the same in both.',
  });
});

t.test('a request body must declare its largest size and depth', async (t) => {
  const fault =
    'the request body needs "x-limits" with "bytes" and "depth", both positive integers, and "depth" at most 1000.';
  const withLimits = (limits: string) => operationWith(`requestBody: §{ ${limits}${json('{}')} }`);
  await refusesDocuments(t, reading, withLimits, {
    '': fault,
    'x-limits: 5, ': fault,
    'x-limits: null, ': fault,
    'x-limits: [], ': fault,
    'x-limits: { bytes: 1 }, ': fault,
    'x-limits: { depth: 1 }, ': fault,
    'x-limits: { bytes: 0, depth: 1 }, ': fault,
    'x-limits: { bytes: 1, depth: 0 }, ': fault,
    'x-limits: { bytes: 1.5, depth: 1 }, ': fault,
    'x-limits: { bytes: "1", depth: 1 }, ': fault,
    'x-limits: { bytes: 1, depth: -1 }, ': fault,
    'x-limits: { bytes: 1, depth: 1001 }, ': fault,
  });
});

t.test('every operation must have an operationId of its own', async (t) => {
  await refusesDocuments(t, reading, documentOf, {
    [`  /a: { get: §{ ${done} } }`]: 'the operation has no operationId: add one.',
    [`  /a: { get: { operationId: a, ${done} } }\n  /b: { put: { operationId: §a, ${done} } }`]:
      'GET /a has the operationId "a", too: choose another.',
  });
});

t.test('a reference that leads nowhere is refused, with the ones that exist', async (t) => {
  const components =
    'components: { schemas: { Leaf: { type: string }, Root: { type: string } }, responses: {} }';
  const referring = (reference: string) =>
    operationWith(`requestBody: { x-limits: { bytes: 1, depth: 1 }, ${json(`{ $ref: §"${reference}" }`)} }`) +
    components;
  const noneOf = (reference: string, instead: string) => `there is no ${reference}: ${instead}.`;
  await refusesDocuments(t, reading, referring, {
    '#/components/schemas/Leav': noneOf('#/components/schemas/Leav', 'write one of Leaf, Root, or add it'),
    '#/components/schemas/100%': noneOf('#/components/schemas/100%', 'write one of Leaf, Root, or add it'),
    '#/components/parameters/Leaf': noneOf('#/components/parameters/Leaf', 'add it'),
    '#/components/requestBodies/Leaf': noneOf('#/components/requestBodies/Leaf', 'add it'),
    '#/info/title/Leaf': noneOf('#/info/title/Leaf', 'add it'),
    '#/nothing/at/all': noneOf('#/nothing/at/all', 'add it'),
  });
});

t.test('a reference of a member called "example" leads somewhere, too', async (t) => {
  const components =
    'components: { schemas: { A: { type: object, properties: { example: { $ref: §"#/components/schemas/B" } } } } }';
  const rest = `requestBody: { x-limits: { bytes: 1, depth: 1 }, ${json('{ type: string }')} }`;
  await refusesDocuments(t, reading, (components) => operationWith(rest) + components, {
    [components]: 'there is no #/components/schemas/B: write one of A, or add it.',
  });
});

t.test('a reference may be percent-encoded (RFC 6901, section 6)', async (t) => {
  const { root } = await contractOf(
    t,
    documentOf(
      `  /a: { get: { operationId: a, ${done} } }`,
      `components:
  schemas:
    A: { type: object, properties: { "50 % / day": { type: string } } }
    B: { $ref: "#/components/schemas/A/properties/50%20%25%20~1%20day" }`,
    ),
  );
  t.match(root.at('components', 'schemas', 'B')?.value, { type: 'string' });
});

t.test('integers keep the digits that a double cannot hold, also behind an alias', async (t) => {
  const { root } = await contractOf(
    t,
    documentOf(
      `  /a: { get: { operationId: a, ${done} } }`,
      `
components:
  schemas:
    A:
      type: integer
      format: int64
      minimum: -9223372036854775808
      enum: [null, &most 9223372036854775806, 1]
      example: { id: 9007199254740993 }
    B: { type: integer, format: int64, maximum: *most }`,
    ),
  );
  t.strictSame(root.at('components', 'schemas')?.value, {
    A: {
      type: 'integer',
      format: 'int64',
      minimum: -(2n ** 63n),
      enum: [null, 9223372036854775806n, 1n],
      examples: [{ id: 9007199254740993n }],
    },
    B: { type: 'integer', format: 'int64', maximum: 9223372036854775806n },
  });
});
