/**
 * Schemas that share others are looked at once. If each of 26 schemas refers to the next one twice, the last one
 * is reached in 67 million ways, in a document of 3 KB.
 *
 * Each walk of the check is timed with 7, 13 and 26 levels. A walk of all ways takes 64 times as long with 13 as
 * with 7, and 8,192 times as long with 26 as with 13, which are not tried if it took too long before.
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
import { violationsOf } from '../../values/schema.js';
import { sitesOf } from '../../values/sites.js';
import { anyValue, exampleValue, NoValueError, plainValue } from '../../values/valid-values.js';

/** Twice as many levels take about twice as long. */
const maxGrowth = 20;
/** Shorter times, in microseconds, say nothing. */
const leastTime = 500;

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

const levels = { few: 7, more: 13, many: 26 };
/** A pause of the process may fall into one try. */
const tries = 3;

for (const [shape, referTwice] of Object.entries(shapes)) {
  t.test(`each walk of schemas that share the next one by ${shape} takes a time in proportion`, async (t) => {
    // Nobody has seen a schema before its try, because each walk remembers those that it has seen.
    const count = tries * Object.keys(walks).length;
    const [few, more, many] = [levels.few, levels.more, levels.many].map((depth) =>
      schemasOf(documentOf(referTwice, depth, count)),
    );
    for (const [name, walk] of Object.entries(walks)) {
      const [short, long] = [timeOf(walk, few), timeOf(walk, more)];
      const isLinear = long / short < maxGrowth;
      t.ok(isLinear, `${name}: ${(long / short).toFixed(1)} times as long for 13 as for 7`);
      if (!isLinear) continue;
      const ratio = timeOf(walk, many) / long;
      t.ok(ratio < 8 * maxGrowth, `${name}: ${ratio.toFixed(1)} times as long for 26 as for 13`);
    }
  });
}

/** @returns the time of the processor that the best try takes, in microseconds */
function timeOf(walk: (schema: Node) => unknown, unseen: Node[] = []): number {
  const times = unseen.splice(0, tries).map((schema) => {
    const begin = process.cpuUsage();
    try {
      walk(schema);
    } catch (error) {
      if (!(error instanceof NoValueError)) throw error;
    }
    const { user, system } = process.cpuUsage(begin);
    return user + system;
  });
  return Math.max(leastTime, Math.min(...times));
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
    const text = documentOf(shapes['two required members'] ?? String, 26);
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
