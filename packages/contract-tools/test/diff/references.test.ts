import type { OpenAPIV3 } from 'openapi-types';
import t from 'tap';
import type { Change } from '../../src/diff/change.js';
import { compareContracts } from '../../src/diff/compare.js';
import { readDocument } from '../../src/document/read-document.js';

const description = 'Something.';
const text: OpenAPIV3.SchemaObject = { type: 'string' };
const done: OpenAPIV3.ResponsesObject = { '204': { description } };
const components: OpenAPIV3.ComponentsObject = {
  schemas: { Text: text },
  parameters: { Limit: { name: 'limit', in: 'query', schema: text } },
  requestBodies: { Name: { content: { 'application/json': { schema: text } } } },
  responses: { Done: { description } },
  headers: { Trace: { schema: text } },
};

/** Each value refers to a component, and takes members beside the reference. */
const uses: Readonly<Record<string, (beside: object) => OpenAPIV3.OperationObject>> = {
  schema: (beside) => ({
    requestBody: {
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Text', ...beside } } },
    },
    responses: done,
  }),
  'schema of a member': (beside) => ({
    requestBody: {
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { name: { $ref: '#/components/schemas/Text', ...beside } },
            oneOf: [{ $ref: '#/components/schemas/Text', ...beside }, { type: 'object' }],
          },
        },
      },
    },
    responses: done,
  }),
  parameter: (beside) => ({
    parameters: [{ $ref: '#/components/parameters/Limit', ...beside }],
    responses: done,
  }),
  'request body': (beside) => ({
    requestBody: { $ref: '#/components/requestBodies/Name', ...beside },
    responses: done,
  }),
  response: (beside) => ({ responses: { '200': { $ref: '#/components/responses/Done', ...beside } } }),
  header: (beside) => ({
    responses: {
      '200': { description, headers: { Trace: { $ref: '#/components/headers/Trace', ...beside } } },
    },
  }),
};

const beside: readonly object[] = [
  { description: 'Something else.', deprecated: true, example: 'b', 'x-note': 1 },
  { type: 'integer', maxLength: 3, required: ['a'], properties: { a: text }, not: text, nullable: true },
  { name: 'other', in: 'header', required: true, schema: { type: 'integer' }, style: 'simple' },
  { content: { 'text/plain': {} }, headers: { Other: { required: true } }, 'x-limits': { bytes: 3 } },
];

t.test('OpenAPI 3.0.3, Reference Object: members beside a $ref are ignored', async (t) => {
  for (const [what, use] of Object.entries(uses)) {
    t.test(`diff:contract ignores members beside the $ref of a ${what}`, async (t) => {
      for (const members of beside) {
        t.strictSame(changesBetween(use({}), use(members)), []);
        t.strictSame(changesBetween(use(members), use({})), []);
      }
    });
  }
});

t.test('diff:contract comes to an end if alternatives contain their own schema', async (t) => {
  const tree = (needed: string): OpenAPIV3.SchemaObject => ({
    oneOf: [
      { type: 'object', required: ['left'], properties: { left: { $ref: '#/components/schemas/Tree' } } },
      { type: 'object', required: [needed], properties: { right: { $ref: '#/components/schemas/Tree' } } },
    ],
    not: { type: 'object', properties: { left: { $ref: '#/components/schemas/Tree' } } },
  });
  const operation: OpenAPIV3.OperationObject = {
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } } },
    responses: done,
  };
  const trees = ['right', 'leaf'].map((needed) => contractOf(operation, { schemas: { Tree: tree(needed) } }));
  const [before, after] = trees;
  if (before === undefined || after === undefined) throw new Error('There are two trees.');
  t.strictSame(compareContracts(before, before), []);
  t.ok(compareContracts(before, after).some(({ breaking }) => breaking));
});

function changesBetween(base: OpenAPIV3.OperationObject, next: OpenAPIV3.OperationObject): Change[] {
  return compareContracts(contractOf(base, components), contractOf(next, components));
}

function contractOf(operation: OpenAPIV3.OperationObject, components: OpenAPIV3.ComponentsObject) {
  const document: OpenAPIV3.Document = {
    openapi: '3.0.3',
    info: { title: 'References', version: '1.0.0' },
    paths: { '/things': { post: operation } },
    components,
  };
  return readDocument(JSON.stringify(document), 'a contract');
}
