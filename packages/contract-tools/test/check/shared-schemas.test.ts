/**
 * Schemas that share others are looked at once. If each of 40 schemas refers to the next one twice, the last one
 * is reached in a million million ways, in a document of 4 KB. A walk of all ways does not end.
 */
import fc from 'fast-check';
import t from 'tap';
import { describe } from '../../src/check/document/description.js';
import { withoutUnwritable } from '../../src/check/requests/unwritable.js';
import { boundaryValues } from '../../src/check/values/boundary-values.js';
import { breakSites } from '../../src/check/values/broken-values.js';
import { compare } from '../../src/check/values/compare.js';
import { undocumentedMembers } from '../../src/check/values/undocumented.js';
import type { Node } from '../../src/document/node.js';
import { readDocument } from '../../src/document/read-document.js';
import type { Value } from '../../src/values/json.js';
import { violationsOf } from '../../src/values/schema.js';
import { sitesOf } from '../../src/values/sites.js';
import { anyValue, exampleValue, NoValueError, plainValue } from '../../src/values/valid-values.js';

const levels = 40;

/** How a schema refers twice to the next one. */
const shapes: Readonly<Record<string, (next: string) => string>> = {
  'two members': (next) => `{ type: object, properties: { a: ${next}, b: ${next} } }`,
  'two required members': (next) =>
    `{ type: object, required: [a, b], properties: { a: ${next}, b: ${next} } }`,
  'one member of two schemas': (next) =>
    `{ allOf: [{ type: object, properties: { a: ${next} } }, { type: object, properties: { a: ${next} } }] }`,
  allOf: (next) => `{ allOf: [${next}, ${next}] }`,
  // A text that is not empty fits the first alternative alone.
  oneOf: (next) => `{ oneOf: [${next}, { allOf: [${next}, { maxLength: 0 }] }] }`,
  anyOf: (next) => `{ anyOf: [${next}, ${next}] }`,
  not: (next) => `{ not: { anyOf: [${next}, ${next}] } }`,
  items: (next) => `{ type: array, minItems: 1, items: { anyOf: [${next}, ${next}] } }`,
};

/** A value that is as deep as any that a server sends, and fits none of the schemas. */
const deep: Value = Array.from({ length: 30 }).reduce<Value>((below) => ({ a: below }), 'a');

const walks: Readonly<Record<string, (schema: Node) => unknown>> = {
  sitesOf: (schema) => sitesOf([schema]),
  plainValue: (schema) => plainValue([schema]),
  exampleValue: (schema) => exampleValue([schema]),
  anyValue: (schema) => fc.sample(anyValue([schema]), { seed: 0, numRuns: 5 }),
  boundaryValues: (schema) => boundaryValues([schema]),
  breakSites: (schema) => breakSites(schema, plainValue([schema])),
  'violationsOf a text': (schema) => violationsOf(schema, 'a'),
  'violationsOf a deep value': (schema) => violationsOf(schema, deep),
  undocumentedMembers: (schema) => undocumentedMembers([schema], deep),
  compare: (schema) => {
    const side = { schemas: [schema], value: deep };
    return compare(side, { schemas: [schema], value: { b: deep } }, { judgesUnsent: true }, '');
  },
};

for (const [shape, referTwice] of Object.entries(shapes)) {
  t.test(`each walk of schemas that share the next one by ${shape} looks at each of them once`, async (t) => {
    // Each walk has schemas that nobody has seen, because walks remember those that they have seen.
    const unseen = schemasOf(documentOf(referTwice, levels, Object.keys(walks).length));
    for (const [index, [name, walk]] of Object.entries(walks).entries()) {
      const schema = unseen[index];
      if (schema === undefined) throw new Error('Each walk has a schema.');
      try {
        walk(schema);
      } catch (error) {
        if (!(error instanceof NoValueError)) throw error;
      }
      t.pass(`${name} ends`);
    }
  });
}

function schemasOf(text: string): Node[] {
  const { operations } = describe(readDocument(text, 'shared.yaml'));
  return operations.flatMap(({ body }) => body?.schema ?? []);
}

/** @param count how often the document has the chain of schemas, each for an operation of its own */
function documentOf(referTwice: (next: string) => string, depth: number, count = 1): string {
  const chains = Array.from({ length: count }, (_, chain) => {
    const schemas = Array.from({ length: depth }, (_, level) => {
      const next = `{ $ref: '#/components/schemas/Chain${chain}Level${level + 1}' }`;
      return `    Chain${chain}Level${level}: ${referTwice(next)}`;
    });
    return [...schemas, `    Chain${chain}Level${depth}: { type: string }`].join('\n');
  });
  const paths = Array.from(
    { length: count },
    (_, chain) => `  /things${chain}:
    post:
      operationId: make${chain}
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Chain${chain}Level0' } } } }
      responses: { '200': { description: Done. } }`,
  );
  return `openapi: 3.0.3
info: { title: Test, version: 1.0.0 }
servers: [{ url: / }]
paths:
${paths.join('\n')}
components:
  schemas:
${chains.join('\n')}
`;
}

t.test(
  'an operation whose least body is too large to be sent is left out, and the report says why',
  async (t) => {
    const text = documentOf(shapes['two required members'] ?? String, levels);
    const { description, leftOut } = withoutUnwritable(describe(readDocument(text, 'shared.yaml')));
    t.strictSame(description.operations, []);
    t.match(leftOut, [
      /make0 is left out: each value of the schema at components\/schemas\/\w+ has more than/,
    ]);
  },
);

t.test('a schema that contains itself in one of its variants gets a value of another one', async (t) => {
  const text = documentOf(
    () =>
      `{ oneOf: [{ type: object, required: [a], properties: { a: { $ref: '#/components/schemas/Chain0Level0' } } }, { type: integer }] }`,
    1,
  );
  const [schema] = schemasOf(text);
  t.equal(schema && plainValue([schema]), 0n);
});

t.test('an operation whose body contains itself without an end is left out', async (t) => {
  const text = documentOf(
    () => `{ type: object, required: [a], properties: { a: { $ref: '#/components/schemas/Chain0Level0' } } }`,
    1,
  );
  const { leftOut } = withoutUnwritable(describe(readDocument(text, 'circle.yaml')));
  t.match(leftOut, [/make0 is left out: the schema at components\/schemas\/Chain0Level0 contains itself/]);
});
