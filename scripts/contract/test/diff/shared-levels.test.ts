import t from 'tap';
import { compareContracts } from '../../diff/compare.js';
import { readDocument } from '../../document/read-document.js';

t.setTimeout(120_000);

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

/** A contract whose schemas refer twice to the next one: `levels` of them have 2^levels ways to the last. */
function contractOf(form: (next: object) => object, levels: number, last: number): string {
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

/** The CPU time of the comparison alone, in microseconds. */
function costOf(form: (next: object) => object, levels: number): number {
  const [base, next] = [9, 8].map((last) => readDocument(contractOf(form, levels, last), 'levels.json'));
  if (base === undefined || next === undefined) throw new Error('Two contracts.');
  const before = process.cpuUsage();
  t.ok(
    compareContracts(base, next).some(({ breaking }) => breaking),
    'the change of the last level is found',
  );
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

for (const [name, form] of Object.entries(forms)) {
  t.test(`schemas that refer twice to the next one are compared once each: ${name}`, async (t) => {
    costOf(form, 13);
    const [half, whole] = [costOf(form, 13), costOf(form, 26)];
    // A walk that goes each way by itself costs 8,000 times as much.
    t.ok(whole < 40 * Math.max(half, 5_000), `26 levels cost ${Math.round(whole / half)} times 13 levels`);
  });
}
