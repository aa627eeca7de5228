/** OpenAPI 3.0, 3.1 and 3.2 become one form, in the terms of JSON Schema 2020-12, and keep their places. */
import t from 'tap';
import { readDocument } from '../../src/document/read-document.js';

/** @returns a document whose schema A is the given YAML in one line, in line 6 */
function withSchema(openapi: string, schema: string): string {
  return `openapi: ${openapi}
info: {title: A, version: 1.0.0}
paths: {}
components:
  schemas:
    A: ${schema}
    B: {type: string}
`;
}

const formOf = (openapi: string, schema: string): unknown =>
  readDocument(withSchema(openapi, schema), 'a.yaml').root.at('components', 'schemas', 'A')?.value;

/** Schemas as their authors write them, and the form of each. */
const schemas: readonly [openapi: string, written: string, form: unknown][] = [
  ['3.0.3', '{type: string, nullable: true}', { type: ['string', 'null'] }],
  ['3.0.3', '{type: string, nullable: false}', { type: 'string' }],
  ['3.0.3', '{nullable: true}', {}],
  [
    '3.0.3',
    '{nullable: true, allOf: [{minLength: 1}]}',
    { anyOf: [{ allOf: [{ minLength: 1n }] }, { type: 'null' }] },
  ],
  [
    '3.0.3',
    '{nullable: true, readOnly: true, allOf: [{minLength: 1}]}',
    { readOnly: true, anyOf: [{ allOf: [{ minLength: 1n }] }, { type: 'null' }] },
  ],
  ['3.0.3', '{minimum: 0, exclusiveMinimum: true}', { exclusiveMinimum: 0n }],
  ['3.0.3', '{maximum: 9, exclusiveMaximum: false}', { maximum: 9n }],
  ['3.0.3', '{example: 7}', { examples: [7n] }],
  ['3.0.3', '{maximum: 9223372036854775806}', { maximum: 9223372036854775806n }],
  ['3.1.0', '{type: [string], const: a}', { type: 'string', enum: ['a'] }],
  ['3.1.0', '{const: null}', { enum: [null] }],
  [
    '3.1.0',
    '{type: [integer, "null"], exclusiveMinimum: 0}',
    { type: ['integer', 'null'], exclusiveMinimum: 0n },
  ],
  ['3.1.0', '{nullable: true, type: string}', { type: 'string' }],
  ['3.1.0', '{example: 7, examples: [8]}', { examples: [8n] }],
  [
    '3.1.0',
    '{properties: {example: {const: 1}, nullable: true}}',
    { properties: { example: { enum: [1n] }, nullable: true } },
  ],
  ['3.1.0', '{not: {const: 1}, default: {const: 1}}', { not: { enum: [1n] }, default: { const: 1n } }],
];

for (const [openapi, written, form] of schemas)
  t.test(`${openapi}: ${written}`, async (t) => t.strictSame(formOf(openapi, written), form));

t.test('what stands beside a $ref is ignored in 3.0, and counts from 3.1 on', async (t) => {
  const written = '{$ref: "#/components/schemas/B", maxLength: 3}';
  const maxLength = (openapi: string) =>
    readDocument(withSchema(openapi, written), 'a.yaml').root.at('components', 'schemas', 'A', 'maxLength');
  t.equal(maxLength('3.0.3'), undefined);
  t.equal(maxLength('3.1.0')?.value, 3n);
  t.equal(maxLength('3.1.0')?.place, 'a.yaml:6:52');
  const document = readDocument(withSchema('3.1.0', written), 'a.yaml');
  t.equal(document.root.at('components', 'schemas', 'A', 'allOf', 0)?.key, '/components/schemas/B');
});

t.test('data, extensions and a property that is called $ref keep what stands beside it', async (t) => {
  const reference = '{$ref: "#/components/schemas/B", b: 1}';
  const { root } = readDocument(
    `openapi: 3.0.3
info: {title: A, version: 1.0.0}
paths: {}
x-own: ${reference}
components:
  schemas:
    A: {properties: {$ref: {type: string}, b: {}}, example: ${reference}, enum: [${reference}]}
    B: {type: string}
  examples: {a: {value: ${reference}}}
`,
    'a.yaml',
  );
  const value = { $ref: '#/components/schemas/B', b: 1n };
  t.strictSame(root.at()?.value, {
    openapi: '3.0.3',
    info: { title: 'A', version: '1.0.0' },
    paths: {},
    'x-own': value,
    components: {
      schemas: {
        A: { properties: { $ref: { type: 'string' }, b: {} }, examples: [value], enum: [value] },
        B: { type: 'string' },
      },
      examples: { a: { value } },
    },
  });
});

t.test('a place is where the author wrote it', async (t) => {
  const placeOf = (openapi: string, written: string, ...keys: (string | number)[]) =>
    readDocument(withSchema(openapi, written), 'a.yaml').root.at('components', 'schemas', 'A', ...keys)
      ?.place;
  t.equal(placeOf('3.0.3', '{minimum: 5, exclusiveMinimum: true}', 'exclusiveMinimum'), 'a.yaml:6:18');
  t.equal(placeOf('3.0.3', '{example: 7}', 'examples', 0), 'a.yaml:6:18');
  t.equal(placeOf('3.1.0', '{const: a}', 'enum', 0), 'a.yaml:6:16');
  t.equal(
    placeOf('3.0.3', '{nullable: true, items: {type: string}}', 'anyOf', 0, 'items', 'type'),
    'a.yaml:6:39',
  );
});

t.test('two references to one schema are one node, and a facing node stays so below', async (t) => {
  const { root } = readDocument(
    withSchema(
      '3.0.3',
      '{properties: {a: {$ref: "#/components/schemas/B"}, b: {$ref: "#/components/schemas/B"}}}',
    ),
    'a.yaml',
  );
  const of = (name: string) =>
    root.at('components', 'schemas', 'A')?.facing('request').at('properties', name);
  t.equal(of('a')?.key, of('b')?.key);
  t.not(of('a')?.use.key, of('b')?.use.key);
  t.equal(of('a')?.direction, 'request');
});

const unreadable: readonly [written: string, said: string][] = [
  ['swagger: "2.0"', 'Swagger 2.0 is not supported'],
  ['openapi: 3.1', 'the version is a text with three numbers: write "openapi: 3.0.3"'],
  ['openapi: 3.3.0\ninfo: {title: A, version: "1"}\npaths: {}', 'OpenAPI 3.3.0 is not supported'],
  ['info: {}', '"openapi" is missing'],
];

for (const [text, said] of unreadable)
  t.test(`refused: ${text.split('\n')[0]}`, async (t) =>
    t.throws(() => readDocument(text, 'a.yaml'), { message: new RegExp(`^a.yaml:1:\\d+: .*${said}`) }),
  );

/** What YAML 1.2 reads as another type than its author means, each with its column. */
const misread: readonly [openapi: string, written: string, column: number, said: string][] = [
  ['3.0.3', '{pattern: 012}', 18, 'this is read as the number 12: write it in quotes.'],
  ['3.1.0', '{description: 1.0}', 22, 'this is read as the number 1: write it in quotes.'],
  ['3.1.0', '{required: [true]}', 20, 'this is read as the boolean true: write it in quotes.'],
  ['3.1.0', '{type: null}', 15, 'this is read as null: write it in quotes.'],
  ['3.1.0', '{type: [string, null]}', 24, 'this is read as null: write it in quotes.'],
  ['3.0.3', '{minLength: "3"}', 20, '"3" is of the wrong type: take the quotes away.'],
  ['3.1.0', '{readOnly: "true"}', 19, '"true" is of the wrong type: take the quotes away.'],
];

for (const [openapi, written, column, said] of misread)
  t.test(`refused in ${openapi} because of its quotes: ${written}`, async (t) =>
    t.throws(() => readDocument(withSchema(openapi, written), 'a.yaml'), {
      message: `a.yaml:6:${column}: ${said}`,
    }),
  );

t.test('a date is a text for YAML 1.2, and so are `yes` and `1_000`', async (t) => {
  for (const text of ['2024-01-01', 'yes', '1_000'])
    t.strictSame(formOf('3.1.0', `{description: ${text}}`), { description: text });
});

t.test('a value of no form is told once, in the words of the form that was written', async (t) => {
  const said = (openapi: string, written: string) =>
    t.throws(() => readDocument(withSchema(openapi, written), 'a.yaml')) as Error;
  t.match(said('3.1.0', '{type: strng}').message, /^a.yaml:6:15: "strng" is not allowed here: [^\n]*$/);
  t.match(said('3.1.0', '{type: [strng]}').message, /^a.yaml:6:16: "strng" is not allowed here: [^\n]*$/);
  const lists: readonly (readonly [types: string, said: string])[] = [
    ['[string, "null"]', 'in OpenAPI 3.0, "type" is one text: write "type: string" and "nullable: true".'],
    ['[string, integer]', 'in OpenAPI 3.0, "type" is one text: write a schema for each type in "anyOf".'],
    ['["null"]', '["null"] is of the wrong type: write a string.'],
  ];
  for (const [types, sentence] of lists)
    t.equal(said('3.0.3', `{type: ${types}}`).message, `a.yaml:6:15: ${sentence}`);
});

/** Schemas of 3.1 that are refused, each with its column and what is said. */
const refused: readonly [written: string, column: number, said: RegExp][] = [
  ['{type: strng}', 15, /"strng" is not allowed here: write one of array, boolean/],
  ['{minLength: "three"}', 20, /"three" is of the wrong type: write an integer/],
  [
    '{minimum: 1, exclusiveMinimum: true}',
    39,
    /"exclusiveMinimum" is the bound itself: write the number of "minimum"/,
  ],
  ['{$recursiveAnchor: true}', 27, /"\$recursiveAnchor" is not supported/],
  ['{properties: {b: {type: strng}}}', 32, /"strng"/],
  ['{$ref: "#/components/schemas/Bb"}', 15, /there is no #\/components\/schemas\/Bb: write one of A, B/],
  ['{$ref: "#/components/schemas/A"}', 15, /leads in a circle/],
  ['{$ref: "other.yaml"}', 15, /another file is not read/],
  ['{$ref: "#name"}', 15, /#name is a name, and not a path: write the path/],
  ['{$ref: "#/info"}', 15, /is data, and no schema/],
  ['{$dynamicRef: "#meta"}', 22, /"\$dynamicRef" is not supported/],
  ['{$schema: "https://example.org/mine"}', 18, /the dialect "https:\/\/example.org\/mine" is not supported/],
  [
    '{$id: "https://example.org/a", items: {$ref: "#/components/schemas/B"}}',
    14,
    /"\$id" is not supported above a reference/,
  ],
];

for (const [written, column, said] of refused)
  t.test(`refused in 3.1: ${written}`, async (t) => {
    const { message } = t.throws(() => readDocument(withSchema('3.1.0', written), 'a.yaml')) as Error;
    t.match(message, new RegExp(`^a.yaml:6:${column}: `));
    t.match(message, said);
  });

/** Faults of a document, each with its line and column, and all that is said. */
const documentFaults: readonly [document: string, said: readonly string[], openapi?: string][] = [
  ['', ['1:1: one of "paths", "components" or "webhooks" is missing: add it.']],
  [
    "paths: {/a: {get: {responses: {2xx: {description: A.}, '200': {description: A.}}}}}",
    ['3:37: "2xx" has no meaning here: write "2XX".'],
  ],
  [
    'paths: {/a: {get: {responses: {2xx: {description: A.}}}}}',
    ['3:37: "2xx" has no meaning here: write "2XX".'],
  ],
  [
    'paths: {/a: {get: {responses: {}}}}',
    ['3:31: no answer is described: add a status, such as "200", or "default".'],
  ],
  [
    'components: {examples: {a: {value: 1, externalValue: https://example.org/}}}',
    ['3:28: "value" and "externalValue" exclude each other: keep one.'],
  ],
  [
    'components: {schemas: {"a b": {}}}',
    ['3:31: "a b" is not allowed as a name here: write letters, digits, ".", "-" and "_" only.'],
  ],
  [
    'paths: {/a: {additionalOperations: {GET: {}, "a b": {}}}}',
    [
      '3:42: "GET" is not allowed here: write "get" beside "additionalOperations".',
      '3:53: "a b" is not allowed as a name here: write a token of RFC 9110, which has letters, digits and signs such as "-", and no spaces.',
    ],
    '3.2.0',
  ],
  [
    'components: {securitySchemes: {a: {type: oauth2, flows: {implicit: {authorizationUrl: https://example.org/, scopes: {}, wrong: 1}}}}}',
    ['3:128: "wrong" has no meaning here: correct its name, take it away, or begin its name with "x-".'],
  ],
];

for (const [document, said, openapi = '3.1.0'] of documentFaults)
  t.test(`each fault is said once, and what to write: ${document}`, async (t) => {
    const text = `openapi: ${openapi}\ninfo: {title: A, version: 1.0.0}\n${document}\n`;
    const { message } = t.throws(() => readDocument(text, 'a.yaml')) as Error;
    t.strictSame(
      message.split('\n'),
      said.map((one) => `a.yaml:${one}`),
    );
  });

t.test('a bound of 3.1 in a document of 3.0 is refused with the words of 3.0', async (t) => {
  t.throws(() => readDocument(withSchema('3.0.3', '{exclusiveMaximum: 5}'), 'a.yaml'), {
    message:
      'a.yaml:6:27: in OpenAPI 3.0, "exclusiveMaximum" is true or false: write "maximum: 5" and "exclusiveMaximum: true".',
  });
});

t.test('a reference leads to an object of the kind that is needed', async (t) => {
  const text = `openapi: 3.2.0
info: {title: A, version: 1.0.0}
paths:
  /a:
    get:
      responses: {'200': {$ref: '#/components/schemas/A'}}
components: {schemas: {A: {}}}
`;
  t.throws(() => readDocument(text, 'a.yaml'), {
    message: 'a.yaml:6:33: #/components/schemas/A is a schema, and a response is needed here.',
  });
});

t.test('faults beside which the rest can be read are told, and not thrown', async (t) => {
  const { faults } = readDocument(
    `openapi: 3.1.0
info: {title: A, version: 1.0.0}
paths:
  /a/{id}:
    get: {operationId: a, responses: {'200': {description: A.}}}
  /a/{name}:
    get: {operationId: a, parameters: [{name: name, in: path, required: true, schema: {}}]}
`,
    'a.yaml',
  );
  t.match(faults, [
    /^a.yaml:5:10: GET \/a\/\{id\} does not describe \{id\}/,
    /^a.yaml:7:5: .* are the same path/,
    /^a.yaml:7:24: GET \/a\/\{id\} has the operationId "a", too/,
  ]);
});

/** Schemas with faults that change no meaning, each with the place, what is said, and the form. */
const harmless: readonly [openapi: string, written: string, column: number, said: string, form: unknown][] = [
  [
    '3.1.0',
    '{required: [a, b, a]}',
    19,
    'items 1 and 3 of this list are the same: take one of them away.',
    { required: ['a', 'b'] },
  ],
  [
    '3.0.3',
    '{items: {required: [a, a]}}',
    27,
    'items 1 and 2 of this list are the same: take one of them away.',
    { items: { required: ['a'] } },
  ],
  [
    '3.1.0',
    '{type: [string, string]}',
    15,
    'items 1 and 2 of this list are the same: take one of them away.',
    { type: 'string' },
  ],
  ['3.0.3', '{description: null}', 22, 'null is of the wrong type: write a string.', { description: '' }],
  [
    '3.1.0',
    '{properties: {title: {title: null}}}',
    37,
    'null is of the wrong type: write a string.',
    { properties: { title: { title: '' } } },
  ],
  [
    '3.1.0',
    '{examples: {a: 1}, example: 2}',
    19,
    '{"a":1} is of the wrong type: write a list ("[…]" or "- …").',
    { examples: [2n] },
  ],
];

for (const [openapi, written, column, said, form] of harmless)
  t.test(
    `a fault that changes no meaning is told, and the rest is read: ${openapi} ${written}`,
    async (t) => {
      const { faults, root } = readDocument(withSchema(openapi, written), 'a.yaml');
      t.strictSame(faults, [`a.yaml:6:${column}: ${said}`]);
      t.strictSame(root.at('components', 'schemas', 'A')?.value, form);
    },
  );

t.test('a harmless fault hides no other one, and moves no place', async (t) => {
  const twice = '{name: a, in: query, schema: {type: string, description: null}}';
  const text = (last: string) => `openapi: 3.0.3
info: {title: A, version: 1.0.0}
tags: [{name: a, externalDocs: {url: b, description: null}}]
paths:
  /a:
    get:
      parameters:
        - ${twice}
        - ${twice}
        - ${last}
      responses: {'204': {description: A.}}
`;
  const { faults, root } = readDocument(
    text('{name: b, in: query, schema: {required: [c, d, c, e], description: null}}'),
    'a.yaml',
  );
  t.strictSame(
    faults.map((fault) => fault.split(': ')[0]),
    ['3:54', '8:68', '9:68', '10:51', '10:78', '8:9'].map((at) => `a.yaml:${at}`),
  );
  const last = root.at('paths', '/a', 'get', 'parameters', 1);
  t.equal(last?.at('name')?.place, 'a.yaml:10:18');
  t.equal(last?.at('schema', 'required', 2)?.place, 'a.yaml:10:61');
  for (const wrong of ['{name: null, in: query, schema: {}}', '{name: b, in: query, schema: {typ: a}}'])
    t.throws(() => readDocument(text(wrong), 'a.yaml'), { message: /^a\.yaml:10:\d+: [^\n]*$/ });
});

t.test('a null that is no text of people is refused', async (t) => {
  for (const written of ['{format: null}', '{properties: {description: null}}', '{examples: 7}'])
    t.throws(() => readDocument(withSchema('3.1.0', written), 'a.yaml'));
});

t.test('3.2: dataValue, $self, additionalOperations and media types of components are read', async (t) => {
  const { root } = readDocument(
    `openapi: 3.2.0
$self: https://example.org/a.yaml
info: {title: A, version: 1.0.0}
paths:
  /a:
    query: {responses: {'200': {description: A., content: {application/jsonl: {$ref: 'https://example.org/a.yaml#/components/mediaTypes/Lines'}}}}}
    additionalOperations: {COPY: {responses: {'204': {description: A.}}}}
components:
  mediaTypes: {Lines: {itemSchema: {const: 1}, examples: {a: {dataValue: 1}}}}
`,
    'a.yaml',
  );
  const media = root.at('paths', '/a', 'query', 'responses', '200', 'content', 'application/jsonl');
  t.strictSame(media?.at('itemSchema')?.value, { enum: [1n] });
  t.equal(media?.at('examples', 'a', 'value')?.value, 1n);
  t.ok(root.at('paths', '/a', 'additionalOperations', 'COPY', 'responses'));
});
