/** A contract of OpenAPI 3.1 is served as one of 3.0, with the keywords of JSON Schema 2020-12. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { compareContracts } from '../../../contract-tools/diff.js';
import { readDocument } from '../../../contract-tools/index.js';
import { projectFolder } from '../../../kit/index.js';
import { checkContract, readContractText } from '../../../service-tools/index.js';
import { contractOf, documentOfBodies } from '../support/contract/contract.js';
import { refusesDocuments, type Step } from '../support/contract/documents.js';
import { checkBodies } from '../support/contract/requests.js';

/** @returns a document of 3.1 with an operation for each body */
function later(schemas: readonly (readonly [path: string, schema: string])[]): string {
  return documentOfBodies(schemas).replace('openapi: 3.0.3', 'openapi: 3.1.2');
}

t.test('the keywords of 3.1 are enforced', async (t) => {
  const components = `
components:
  schemas:
    Short: { type: string, maxLength: 2 }
    Few: { type: integer, format: int64, minimum: 1, maximum: 9 }
`;
  await checkBodies(
    t,
    {
      '{ type: [string, "null"], maxLength: 2 }': { fit: ['"ab"', 'null'], unfit: ['"abc"', '1'] },
      '{ type: [integer, "null"], format: int64, exclusiveMinimum: 0 }': {
        fit: ['1', 'null'],
        unfit: ['0', '"1"'],
      },
      '{ type: [integer, string], format: int32, maxLength: 2 }': {
        fit: ['7', '"ab"'],
        unfit: ['"abc"', 'null'],
      },
      '{ const: a }': { fit: ['"a"'], unfit: ['"b"', '1'] },
      '{ type: number, exclusiveMaximum: 1.5 }': { fit: ['1', '1.25'], unfit: ['1.5'] },
      '{ type: array, prefixItems: [{ type: string }], items: false }': {
        fit: ['[]', '["a"]'],
        unfit: ['[1]', '["a",1]'],
      },
      '{ type: array, contains: { const: a }, maxContains: 1 }': {
        fit: ['["a","b"]'],
        unfit: ['[]', '["a","a"]'],
      },
      '{ type: object, dependentRequired: { a: [b] } }': {
        fit: ['{}', '{"a":1,"b":1}'],
        unfit: ['{"a":1}'],
      },
      '{ type: object, propertyNames: { maxLength: 1 } }': { fit: ['{"a":1}'], unfit: ['{"ab":1}'] },
      '{ type: object, properties: { a: {} }, if: { required: [a] }, then: { required: [b] }, else: { required: [c] } }':
        { fit: ['{"a":1,"b":1}', '{"c":1}'], unfit: ['{"a":1}', '{}'] },
      '{ type: object, allOf: [{ type: object, properties: { a: { type: string } } }], unevaluatedProperties: false }':
        { fit: ['{"a":"b"}'], unfit: ['{"b":1}'] },
      '{ type: object, patternProperties: { "^x": { type: string } } }': {
        fit: ['{"xa":"b"}'],
        unfit: ['{"xa":1}'],
      },
      '{ $ref: "#/components/schemas/Short", minLength: 2 }': { fit: ['"ab"'], unfit: ['"a"', '"abc"'] },
      '{ $ref: "#/components/schemas/Few", maximum: 5 }': { fit: ['5', '1'], unfit: ['6', '0', '"5"'] },
    },
    (schemas) => later(schemas) + components,
  );
});

/** Holds a contract against a service that answers no failure without its handler. */
const checkingAlone: Step = async (t, yaml) =>
  checkContract(await contractOf(t, yaml), { statusesOf: () => [], bodyOf: () => ({}), madeBy: 'a test' });

/** Schemas of 3.1 that the service does not take, and what to write instead. */
const refused: Readonly<Record<string, RegExp>> = {
  '§{ type: integer }': /an integer needs the format int32 or int64\.$/,
  '§{ const: 7 }': /an "enum" may list numbers only beside "type: integer", and no arrays or objects\.$/,
  '§{ type: array, prefixItems: [{}], contains: {} }':
    /"contains" is not supported beside "prefixItems": keep one, or write the other in "allOf"\.$/,
  '§{ type: array, unevaluatedItems: false, allOf: [{ anyOf: [{ contains: {} }] }] }':
    /"unevaluatedItems" is not supported beside "contains": say by "items" what the other items are\.$/,
  '§{ type: array, prefixItems: [{}, {}], items: false }': /add "items: false" and "minItems: 2"\.$/,
  '§{ readOnly: true }': /"readOnly" is not supported in a request: leave the member out of its schema\.$/,
  '§{ unevaluatedProperties: false }': /"unevaluatedProperties" needs "type: object" beside it\.$/,
  '§{ maximal: 7 }': /nothing checks the keyword "maximal": correct it, or begin it with "x-"\.$/,
  '{ $dynamicRef: §"#a" }': /"\$dynamicRef" is not supported: write "\$ref", and a schema for each use\.$/,
  '{ type: string, format: §iri }': /nothing checks the format "iri": write one of date/,
};

for (const [schema, said] of Object.entries(refused)) {
  const title = `a schema of 3.1 that cannot be kept is refused with its place: ${schema.replace('§', '')}`;
  t.test(title, (t) =>
    refusesDocuments(t, checkingAlone, (schema) => later([['/a', schema]]), { [schema]: said }),
  );
}

t.test('what cannot be written into an answer of 3.1 is refused with its place', async (t) => {
  const answering = (schema: string) =>
    later([['/a', '{}']]).replace(
      '{ 204: { description: Taken. } }',
      `{ 200: §{ description: Taken., content: { application/json: { schema: ${schema} } } } }`,
    );
  const said = /^a 200, body: "\w+" is not supported in a response: write each member/;
  await refusesDocuments(t, checkingAlone, answering, {
    '{ patternProperties: { a: {} } }': said,
    '{ prefixItems: [{}], items: false, minItems: 1 }': said,
    '{ if: {}, then: {} }': said,
  });
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
