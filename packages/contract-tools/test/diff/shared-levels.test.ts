/**
 * If each of 32 schemas refers twice to the next one, there are four thousand million ways to the last one. A walk
 * that goes each way by itself does not end, and one that looks at each schema once takes no time.
 */
import t from 'tap';
import { compareContracts } from '../../src/diff/compare.js';
import { readDocument } from '../../src/document/read-document.js';

const levels = 32;

/** Ways in which a schema can refer twice to the next one. */
const forms: Readonly<Record<string, (next: object) => object>> = {
  properties: (next) => ({ type: 'object', properties: { a: next, b: next } }),
  allOf: (next) => ({ allOf: [next, next] }),
  oneOf: (next) => ({
    oneOf: [
      { type: 'array', items: next },
      { type: 'object', properties: { a: next } },
    ],
  }),
  anyOf: (next) => ({ anyOf: [next, { type: 'array', items: next }] }),
  'choices of one': (next) => ({ oneOf: [next], anyOf: [next] }),
  'choices of one or null': (next) => ({
    oneOf: [next, { type: 'string', enum: [null], nullable: true }],
    anyOf: [next],
  }),
  not: (next) => ({ not: { properties: { a: next, b: next } }, type: 'object', properties: { c: next } }),
  additionalProperties: (next) => ({ type: 'object', properties: { a: next }, additionalProperties: next }),
};

/** @param last the maxLength of the last schema */
function contractOf(form: (next: object) => object, last: number): string {
  const schemas = Array.from({ length: levels }, (_, level) => [
    `Level${level}`,
    form({ $ref: `#/components/schemas/Level${level + 1}` }),
  ]);
  const schema = { $ref: '#/components/schemas/Level0' };
  const content = { 'application/json': { schema } };
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Levels', version: '1.0.0' },
    paths: {
      '/levels': {
        post: {
          requestBody: { content },
          responses: { 200: { description: 'Done.', content } },
          callbacks: {
            told: {
              '{$request.body#/url}': {
                post: { requestBody: { content }, responses: { 204: { description: 'Seen.' } } },
              },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        ...Object.fromEntries(schemas),
        [`Level${levels}`]: { type: 'string', maxLength: last },
      },
    },
  });
}

for (const [name, form] of Object.entries(forms)) {
  t.test(`schemas that refer twice to the next one are compared once each: ${name}`, async (t) => {
    const [base, next] = [9, 8].map((last) => readDocument(contractOf(form, last), 'levels.json'));
    if (base === undefined || next === undefined) throw new Error('Two contracts.');
    t.ok(
      compareContracts(base, next).some(({ breaking }) => breaking),
      'the change of the last level is found',
    );
  });
}
