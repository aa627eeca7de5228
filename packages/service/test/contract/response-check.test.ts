import { readFile } from 'node:fs/promises';
import t from 'tap';
import { readDocument } from '../../../contract-tools/index.js';
import { contractFile } from '../../../kit/index.js';
import { compileAnswers } from '../../src/contract/answer/response-check.js';
import { operationsOf } from '../../src/contract/document/operations.js';
import { documentOf } from '../support/contract/contract.js';

/** The check of a handler's answers before serialization finds what its TypeScript types cannot exclude. */

async function checkOf(schema: string) {
  const { root } = readDocument(
    documentOf(`
  /answer:
    get:
      operationId: answer
      responses:
        200:
          description: An answer.
          headers: { ETag: { required: true, schema: { type: string } } }
          content: { application/json: { schema: ${schema} } }
        204: { description: Nothing. }`),
    'contract.yaml',
  );
  const [operation] = operationsOf(root);
  if (operation === undefined) throw new Error('The contract has an operation.');
  return compileAnswers(operation);
}

const plant =
  '{ type: object, required: [name], properties: { name: { type: string, maxLength: 5 }, size: { type: integer, format: int32 }, id: { type: integer, format: int64 }, weight: { type: number } } }';
const headers = { etag: '1' };

const violations: readonly [name: string, schema: string, body: unknown, sentence: string][] = [
  [
    'an excess member',
    plant,
    { name: 'Fern', owner: 'a' },
    'body/owner is not a member that the contract has',
  ],
  [
    'an excess member of an item',
    `{ type: array, items: ${plant} }`,
    [{ name: 'a' }, { name: 'b', x: 1 }],
    'body/1/x is not a member that the contract has',
  ],
  ['a missing member', plant, {}, "body must have required property 'name'"],
  [
    'a member that is undefined',
    plant,
    { name: 'Fern', size: undefined },
    'body/size is undefined: leave the member out',
  ],
  ['a member of the wrong type', plant, { name: 7 }, 'body/name must be string'],
  [
    'a value beyond its bounds',
    plant,
    { name: 'Ficus benjamina' },
    'body/name must NOT have more than 5 characters',
  ],
  [
    'a fraction for an integer',
    plant,
    { name: 'a', size: 1.5 },
    'body/size must be an integer from -2147483648 to 2147483647, and has a fraction',
  ],
  ['a number for an int64', plant, { name: 'a', id: 7 }, 'body/id must be a bigint, not a number'],
  ['a bigint for an int32', plant, { name: 'a', size: 7n }, 'body/size must be a number, not a bigint'],
  [
    'a number that JSON does not have',
    plant,
    { name: 'a', weight: Number.NaN },
    'body/weight must be a number within its bounds',
  ],
  [
    'an object that JSON does not have',
    plant,
    { name: new Date(0) },
    'body/name must be a plain object, not a Date',
  ],
  [
    'a Map, whose entries would not be written',
    '{ type: object, additionalProperties: { type: string } }',
    new Map([['name', 'Fern']]),
    'body must be a plain object, not a Map',
  ],
  ['null', plant, null, 'body must be object'],
  ['no body', plant, undefined, 'body must be object'],
];

t.test(
  'the check of answers refuses an answer outside the contract, with the operation and the place',
  async (t) => {
    for (const [name, schema, body, sentence] of violations) {
      const check = await checkOf(schema);
      t.throws(() => check(200, headers, body), { message: `answer 200: ${sentence}.` }, name);
    }
    const check = await checkOf(plant);
    t.throws(() => check(404, {}, undefined), {
      message: 'answer 404: the contract does not document this status.',
    });
    t.throws(() => check(200, {}, { name: 'Fern' }), { message: 'answer 200: the header ETag is missing.' });
    t.throws(() => check(204, {}, {}), { message: 'answer 204: body is not documented.' });
  },
);

t.test('the check of answers passes an answer that fits the contract', async (t) => {
  const check = await checkOf(plant);
  t.doesNotThrow(() => check(200, headers, { name: 'Fern', size: 1, id: 2n ** 63n - 1n, weight: 2 }));
  t.doesNotThrow(() => check(204, {}, undefined));
  const open = await checkOf('{ type: object, additionalProperties: { type: integer, format: int32 } }');
  t.doesNotThrow(() => open(200, headers, { anything: 1 }));
  t.throws(() => open(200, headers, { anything: 'x' }), /body\/anything must be an integer/);
  const combined = await checkOf(
    `{ allOf: [${plant}, { type: object, properties: { more: { type: string } } }] }`,
  );
  t.doesNotThrow(() => combined(200, headers, { name: 'Fern', more: 'x' }));
  t.throws(() => combined(200, headers, { name: 'Fern', less: 'x' }), /body\/less is not a member/);
});

t.test('the check of answers allows an absent header, unless it is required', async (t) => {
  const { root } = readDocument(
    documentOf(
      `
  /answer:
    get:
      operationId: answer
      responses:
        204:
          description: Nothing.
          headers:
            Age: { schema: { type: integer, format: int32 } }
            X-Uses: { $ref: "#/components/headers/Uses" }
            ETag: { $ref: "#/components/headers/Tag" }`,
      `components:
  headers:
    Uses: { schema: { type: integer, format: int32 } }
    Tag: { required: true, schema: { type: string } }`,
    ),
    'contract.yaml',
  );
  const [check] = operationsOf(root).map(compileAnswers);
  t.doesNotThrow(() => check?.(204, { ETag: '1' }, undefined));
  t.doesNotThrow(() => check?.(204, { ETag: '1', Age: 1, 'X-Uses': 1 }, undefined));
  t.throws(() => check?.(204, { Age: 1, 'X-Uses': 1 }, undefined), {
    message: 'answer 204: the header ETag is missing.',
  });
});

t.test('the check of answers falls back to the response of the range or the default', async (t) => {
  const { root } = readDocument(
    documentOf(`
  /answer:
    get:
      operationId: answer
      responses:
        2XX: { description: Done., content: { application/json: { schema: ${plant} } } }
        204: { description: Nothing. }
        default: { description: Others., headers: { Why: { required: true, schema: {} } } }`),
    'contract.yaml',
  );
  const [check] = operationsOf(root).map(compileAnswers);
  t.doesNotThrow(() => check?.(207, {}, { name: 'Fern' }));
  t.doesNotThrow(() => check?.(204, {}, undefined));
  t.doesNotThrow(() => check?.(302, { why: 'so' }, undefined));
  t.throws(() => check?.(207, {}, {}), { message: /^answer 207: body must have required property 'name'/ });
  t.throws(() => check?.(204, {}, { name: 'Fern' }), { message: 'answer 204: body is not documented.' });
  t.throws(() => check?.(302, {}, undefined), { message: 'answer 302: the header Why is missing.' });
  t.throws(() => check?.(103, { why: 'so' }, undefined), {
    message: 'answer 103: the contract does not document this status.',
  });
});

t.test('the check of answers refuses schemas that it could not enforce, with the place', async (t) => {
  for (const [schema, sentence] of [
    ['{ type: string, format: uuid4 }', 'unknown format "uuid4" ignored'],
    ['{ type: string, default: a }', '"default" is not supported'],
    ['{ type: object, properties: { toString: { type: boolean } } }', 'a member "toString" is not supported'],
    [
      '{ type: object, properties: { a: { type: string, writeOnly: true } } }',
      '"writeOnly" is not supported',
    ],
    [
      '{ oneOf: [{ type: integer, format: int64 }, { type: string }] }',
      'int64 is not supported within "anyOf"',
    ],
  ] as const) {
    await t.rejects(checkOf(schema), {
      message: new RegExp(`^contract\\.yaml:\\d+:\\d+: answer 200, body: .*${sentence}`),
    });
  }
  await t.resolves(checkOf('{ type: object, properties: { a: { type: string, readOnly: true } } }'));
});

t.test('the check of answers supports every response of plants.yaml', async (t) => {
  const { root } = readDocument(await readFile(contractFile, 'utf8'), 'plants.yaml');
  for (const operation of operationsOf(root)) t.doesNotThrow(() => compileAnswers(operation));
});
