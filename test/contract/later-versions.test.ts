/** A contract of OpenAPI 3.1 is served as one of 3.0, with the keywords of JSON Schema 2020-12. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readContractText } from '../../scripts/codegen/read-contract.js';
import { checkContract } from '../../scripts/codegen/servable.js';
import { compareContracts } from '../../scripts/contract/diff/compare.js';
import { readDocument } from '../../scripts/contract/document/read-document.js';
import { projectFolder } from '../../src/project.js';
import { contractOf, documentOfBodies, faultOf, serve } from '../support/contract/contract.js';

/** @returns a document of 3.1 with an operation for each body */
function later(schemas: readonly (readonly [path: string, schema: string])[]): string {
  return documentOfBodies(schemas).replace('openapi: 3.0.3', 'openapi: 3.1.2');
}

/** Schemas with JSON texts that fit, and those that do not. */
const bodies: readonly [path: string, schema: string, fit: readonly string[], unfit: readonly string[]][] = [
  ['/nullable', '{ type: [string, "null"], maxLength: 2 }', ['"ab"', 'null'], ['"abc"', '1']],
  ['/count', '{ type: [integer, "null"], format: int64, exclusiveMinimum: 0 }', ['1', 'null'], ['0', '"1"']],
  ['/either', '{ type: [integer, string], format: int32, maxLength: 2 }', ['7', '"ab"'], ['"abc"', 'null']],
  ['/const', '{ const: a }', ['"a"'], ['"b"', '1']],
  ['/small', '{ type: number, exclusiveMaximum: 1.5 }', ['1', '1.25'], ['1.5']],
  [
    '/tuple',
    '{ type: array, prefixItems: [{ type: string }], items: false }',
    ['[]', '["a"]'],
    ['[1]', '["a",1]'],
  ],
  [
    '/contains',
    '{ type: array, contains: { const: a }, maxContains: 1 }',
    ['["a","b"]'],
    ['[]', '["a","a"]'],
  ],
  ['/dependent', '{ type: object, dependentRequired: { a: [b] } }', ['{}', '{"a":1,"b":1}'], ['{"a":1}']],
  ['/named', '{ type: object, propertyNames: { maxLength: 1 } }', ['{"a":1}'], ['{"ab":1}']],
  [
    '/condition',
    '{ type: object, properties: { a: {} }, if: { required: [a] }, then: { required: [b] }, else: { required: [c] } }',
    ['{"a":1,"b":1}', '{"c":1}'],
    ['{"a":1}', '{}'],
  ],
  [
    '/closed',
    '{ type: object, allOf: [{ type: object, properties: { a: { type: string } } }], unevaluatedProperties: false }',
    ['{"a":"b"}'],
    ['{"b":1}'],
  ],
  [
    '/patterned',
    '{ type: object, patternProperties: { "^x": { type: string } } }',
    ['{"xa":"b"}'],
    ['{"xa":1}'],
  ],
  ['/beside', '{ $ref: "#/components/schemas/Short", minLength: 2 }', ['"ab"'], ['"a"', '"abc"']],
  ['/less', '{ $ref: "#/components/schemas/Few", maximum: 5 }', ['5', '1'], ['6', '0', '"5"']],
];

t.test('the keywords of 3.1 are enforced', async (t) => {
  const yaml = `${later(bodies.map(([path, schema]) => [path, schema]))}
components:
  schemas:
    Short: { type: string, maxLength: 2 }
    Few: { type: integer, format: int64, minimum: 1, maximum: 9 }
`;
  const { call } = await serve(t, yaml);
  for (const [path, , fit, unfit] of bodies) {
    for (const body of fit) t.equal((await call('POST', path, { body })).status, 204, `${path} ${body}`);
    for (const body of unfit) t.equal((await call('POST', path, { body })).status, 400, `${path} ${body}`);
  }
});

/** No service of the test meets a failure without its handler. */
const noFailures = { statusesOf: () => [], bodyOf: () => ({}), madeBy: 'a test' };

/** Schemas of 3.1 that the service does not take, what to write instead, and the text at the place. */
const refused: readonly [schema: string, said: string, at?: string][] = [
  ['{ type: integer }', 'an integer needs the format int32 or int64.'],
  ['{ const: 7 }', 'an "enum" may list numbers only beside "type: integer", and no arrays or objects.'],
  [
    '{ type: array, prefixItems: [{}], contains: {} }',
    '"contains" is not supported beside "prefixItems": keep one, or write the other in "allOf".',
  ],
  [
    '{ type: array, unevaluatedItems: false, allOf: [{ anyOf: [{ contains: {} }] }] }',
    '"unevaluatedItems" is not supported beside "contains": say by "items" what the other items are.',
  ],
  ['{ type: array, prefixItems: [{}, {}], items: false }', 'add "items: false" and "minItems: 2".'],
  ['{ readOnly: true }', '"readOnly" is not supported in a request: leave the member out of its schema.'],
  ['{ unevaluatedProperties: false }', '"unevaluatedProperties" needs "type: object" beside it.'],
  ['{ maximal: 7 }', 'nothing checks the keyword "maximal": correct it, or begin it with "x-".'],
  [
    '{ $dynamicRef: "#a" }',
    '"$dynamicRef" is not supported: write "$ref", and a schema for each use.',
    '"#a"',
  ],
  ['{ type: string, format: iri }', 'nothing checks the format "iri": write one of date', 'iri'],
];

for (const [schema, said, at = schema] of refused)
  t.test(`a schema of 3.1 that cannot be kept is refused with its place: ${schema}`, async (t) => {
    const yaml = later([['/a', schema]]);
    const contract = contractOf(t, yaml);
    const fault = await faultOf(
      t,
      contract.then((contract) => checkContract(contract, noFailures)),
    );
    const lines = yaml.slice(0, yaml.indexOf(at)).split('\n');
    t.match(fault, new RegExp(`^contract\\.yaml:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}: `));
    t.match(fault, said);
  });

t.test('what cannot be written into an answer of 3.1 is refused with its place', async (t) => {
  for (const schema of [
    '{ patternProperties: { a: {} } }',
    '{ prefixItems: [{}], items: false, minItems: 1 }',
    '{ if: {}, then: {} }',
  ]) {
    const yaml = later([['/a', '{}']]).replace(
      '{ 204: { description: Taken. } }',
      `{ 200: { description: Taken., content: { application/json: { schema: ${schema} } } } }`,
    );
    const contract = contractOf(t, yaml);
    const fault = await faultOf(
      t,
      contract.then((contract) => checkContract(contract, noFailures)),
    );
    t.match(
      fault,
      /^contract\.yaml:11:\d+: a 200, body: "\w+" is not supported in a response: write each member/,
    );
  }
});

t.test('the contract of the gardens is 3.1, and promises the same as its 3.0 form', async (t) => {
  const file = join(projectFolder, 'examples', 'gardens', 'openapi', 'gardens.yaml');
  const text = await readFile(file, 'utf8');
  const older = text
    .replace('openapi: 3.1.2', 'openapi: 3.0.3')
    .replace('exclusiveMinimum: 0', 'minimum: 1')
    .replaceAll(/examples: \[(.*)\]$/gm, 'example: $1');
  t.notMatch(older, 'examples: [');
  const [before, after] = [readDocument(older, 'a.yaml'), readDocument(text, 'a.yaml')];
  t.strictSame([before.version, after.version], ['3.0', '3.1']);
  t.strictSame(compareContracts(before, after), []);
  t.strictSame(compareContracts(after, before), []);
  const [one, other] = [await readContractText(older, file), await readContractText(text, file)];
  t.strictSame(
    one.operations.map(({ id }) => id),
    other.operations.map(({ id }) => id),
  );
});
