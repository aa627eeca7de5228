/**
 * Schemas that share others are looked at once. If each of 26 schemas refers to the next one twice, the last one
 * is reached in 67 million ways, in a document of 3 KB.
 *
 * Each walk of the check is timed with 7, 13 and 26 levels. A walk of all ways takes 64 times as long with 13 as
 * with 7, and would not end with 26, which are not tried then.
 */
import fc from 'fast-check';
import t from 'tap';
import { describe } from '../../check/document/description.js';
import { withoutUnwritable } from '../../check/requests/unwritable.js';
import { boundaryValues } from '../../check/values/boundary-values.js';
import { breakSites } from '../../check/values/broken-values.js';
import { compare } from '../../check/values/compare.js';
import { undocumentedMembers } from '../../check/values/undocumented.js';
import type { Node } from '../../document/node.js';
import { readDocument } from '../../document/read-document.js';
import type { Value } from '../../values/json.js';
import { misfitsOf } from '../../values/schema.js';
import { sitesOf } from '../../values/sites.js';
import { anyValue, exampleValue, NoValueError, plainValue } from '../../values/valid-values.js';

/** Twice as many levels take about twice as long. */
const maxGrowth = 20;

/** How a schema refers twice to the next one. */
const shapes: Readonly<Record<string, (next: string) => string>> = {
  'two members': (next) => `{ type: object, properties: { a: ${next}, b: ${next} } }`,
  'two required members': (next) =>
    `{ type: object, required: [a, b], properties: { a: ${next}, b: ${next} } }`,
  'one member of two schemas': (next) =>
    `{ allOf: [{ type: object, properties: { a: ${next} } }, { type: object, properties: { a: ${next} } }] }`,
  allOf: (next) => `{ allOf: [${next}, ${next}] }`,
  oneOf: (next) => `{ oneOf: [${next}, ${next}] }`,
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
  'misfitsOf a text': (schema) => misfitsOf(schema, 'a'),
  'misfitsOf a deep value': (schema) => misfitsOf(schema, deep),
  undocumentedMembers: (schema) => undocumentedMembers([schema], deep),
  compare: (schema) => {
    const side = { schemas: [schema], value: deep };
    return compare(side, { schemas: [schema], value: { b: deep } }, { judgesUnsent: true }, '');
  },
};

for (const [shape, referTwice] of Object.entries(shapes)) {
  t.test(`each walk of schemas that share the next one by ${shape} takes a time in proportion`, async (t) => {
    for (const [name, walk] of Object.entries(walks)) {
      const [few, more] = [timeOf(walk, referTwice, 7), timeOf(walk, referTwice, 13)];
      if (!t.ok(more / few < maxGrowth, `${name}: ${(more / few).toFixed(1)} times as long for 13 as for 7`))
        continue;
      const many = timeOf(walk, referTwice, 26);
      t.ok(many / more < maxGrowth, `${name}: ${(many / more).toFixed(1)} times as long for 26 as for 13`);
    }
  });
}

/** @returns milliseconds, the better of two, each with schemas that nobody has seen */
function timeOf(
  walk: (schema: Node) => unknown,
  referTwice: (next: string) => string,
  levels: number,
): number {
  const times = [1, 2].map(() => {
    const schema = schemaOf(referTwice, levels);
    const start = performance.now();
    try {
      walk(schema);
    } catch (error) {
      if (!(error instanceof NoValueError)) throw error;
    }
    return performance.now() - start;
  });
  return Math.min(...times);
}

function schemaOf(referTwice: (next: string) => string, levels: number): Node {
  const [operation] = describe(readDocument(documentOf(referTwice, levels), 'shared.yaml')).operations;
  if (operation?.body === undefined) throw new Error('The document has no body.');
  return operation.body.schema;
}

function documentOf(referTwice: (next: string) => string, levels: number): string {
  const schemas = Array.from({ length: levels }, (_, level) => {
    const next = `{ $ref: '#/components/schemas/Level${level + 1}' }`;
    return `    Level${level}: ${referTwice(next)}`;
  });
  return `openapi: 3.0.3
info: { title: Test, version: 1.0.0 }
servers: [{ url: / }]
paths:
  /things:
    post:
      operationId: make
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Level0' } } } }
      responses: { '200': { description: Done. } }
components:
  schemas:
${schemas.join('\n')}
    Level${levels}: { type: string }
`;
}

t.test(
  'an operation whose least body is too large to be sent is left out, and the report says why',
  async (t) => {
    const text = documentOf(shapes['two required members'] ?? String, 26);
    const { description, leftOut } = withoutUnwritable(describe(readDocument(text, 'shared.yaml')));
    t.strictSame(description.operations, []);
    t.match(leftOut, [
      /make is left out: each value of the schema at components\/schemas\/\w+ has more than/,
    ]);
  },
);

t.test('a schema that contains itself in one of its variants gets a value of another one', async (t) => {
  const text = documentOf(
    () =>
      `{ oneOf: [{ type: object, required: [a], properties: { a: { $ref: '#/components/schemas/Level0' } } }, { type: integer }] }`,
    1,
  );
  const [operation] = describe(readDocument(text, 'circle.yaml')).operations;
  const schema = operation?.body?.schema;
  t.equal(schema && plainValue([schema]), 0n);
});

t.test('an operation whose body contains itself without an end is left out', async (t) => {
  const text = documentOf(
    () => `{ type: object, required: [a], properties: { a: { $ref: '#/components/schemas/Level0' } } }`,
    1,
  );
  const { leftOut } = withoutUnwritable(describe(readDocument(text, 'circle.yaml')));
  t.match(leftOut, [/make is left out: the schema at components\/schemas\/Level0 contains itself/]);
});
