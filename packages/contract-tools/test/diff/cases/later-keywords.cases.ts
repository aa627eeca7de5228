/**
 * Edits of keywords that OpenAPI has since 3.1, with the verdict on each: a part of the table in
 * breaking-changes.cases.ts.
 */
import type { Case, Edit, Value } from './case.js';

/** A schema that allows fewer values, and one that allows more: four cases each. */
interface Row {
  readonly what: string;
  readonly narrow: Value;
  readonly wide: Value;
}

const texts = { contains: { type: 'string' } };
const list = { type: 'array' };
const map = { type: 'object' };
const ifSmall = { ...map, if: { required: ['a'] } };
/** A value with a member "then" looks like a promise, so the key is no literal. */
const then = 'then';
const oneMember = { properties: { a: { type: 'string' } } };

const rows: readonly Row[] = [
  { what: 'contains', narrow: { ...list, ...texts }, wide: list },
  {
    what: 'schema of contains',
    narrow: { ...list, contains: { type: 'string', maxLength: 3 } },
    wide: { ...list, ...texts },
  },
  { what: 'minContains', narrow: { ...list, ...texts, minContains: 2 }, wide: { ...list, ...texts } },
  {
    what: 'maxContains',
    narrow: { ...list, ...texts, maxContains: 2 },
    wide: { ...list, ...texts, maxContains: 3 },
  },
  {
    what: 'maxContains left out',
    narrow: { ...list, ...texts, maxContains: 2 },
    wide: { ...list, ...texts },
  },
  {
    what: 'contains that only limits',
    narrow: { ...list, ...texts, minContains: 0, maxContains: 2 },
    wide: { ...list, ...texts, minContains: 0 },
  },
  {
    what: 'prefixItems',
    narrow: { ...list, prefixItems: [{ type: 'string', maxLength: 3 }], items: { type: 'integer' } },
    wide: { ...list, prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
  },
  {
    what: 'unevaluatedItems',
    narrow: { ...list, allOf: [{ prefixItems: [{ type: 'string' }] }], unevaluatedItems: false },
    wide: { ...list, allOf: [{ prefixItems: [{ type: 'string' }] }] },
  },
  { what: 'if', narrow: { ...ifSmall, [then]: { minProperties: 2 } }, wide: map },
  {
    what: 'then',
    narrow: { ...ifSmall, [then]: { minProperties: 3 } },
    wide: { ...ifSmall, [then]: { minProperties: 2 } },
  },
  {
    what: 'else',
    narrow: { ...ifSmall, [then]: { minProperties: 2 }, else: { maxProperties: 2 } },
    wide: { ...ifSmall, [then]: { minProperties: 2 } },
  },
  { what: 'dependentRequired', narrow: { ...map, dependentRequired: { a: ['b'] } }, wide: map },
  {
    what: 'list of dependentRequired',
    narrow: { ...map, dependentRequired: { a: ['b', 'c'] } },
    wide: { ...map, dependentRequired: { a: ['b'] } },
  },
  {
    what: 'dependentSchemas',
    narrow: { ...map, dependentSchemas: { a: { minProperties: 2 } } },
    wide: map,
  },
  {
    what: 'schema of dependentSchemas',
    narrow: { ...map, dependentSchemas: { a: { minProperties: 3 } } },
    wide: { ...map, dependentSchemas: { a: { minProperties: 2 } } },
  },
  { what: 'propertyNames', narrow: { ...map, propertyNames: { pattern: '^a' } }, wide: map },
  {
    what: 'schema of propertyNames',
    narrow: { ...map, propertyNames: { maxLength: 3 } },
    wide: { ...map, propertyNames: { maxLength: 4 } },
  },
  {
    what: 'patternProperties',
    narrow: { ...map, patternProperties: { '^x': { type: 'string', maxLength: 3 } } },
    wide: { ...map, patternProperties: { '^x': { type: 'string' } } },
  },
  {
    what: 'member that has fitted a pattern',
    narrow: { ...map, properties: { xa: { maxLength: 3 } }, patternProperties: { '^x': { type: 'string' } } },
    wide: { ...map, patternProperties: { '^x': { type: 'string' } } },
  },
  {
    what: 'unevaluatedProperties',
    narrow: { ...map, allOf: [oneMember], unevaluatedProperties: false },
    wide: { ...map, allOf: [oneMember] },
  },
  { what: 'const', narrow: { const: 'a' }, wide: { enum: ['a', 'b'] } },
  { what: 'null in a list of types', narrow: { type: 'string' }, wide: { type: ['string', 'null'] } },
];

/** A schema before an edit and after it, and the verdicts on it as a request and as a response. */
interface Change {
  readonly what: string;
  readonly before: Value;
  readonly after: Value;
  readonly request: Case['verdict'];
  readonly response: Case['verdict'];
}

const breaking = { request: 'breaking', response: 'breaking' } as const;
const none = { request: 'none', response: 'none' } as const;

const changes: readonly Change[] = [
  {
    what: 'contains with a maxContains asks for something else',
    before: { ...list, ...texts, maxContains: 2 },
    after: { ...list, contains: { type: 'string', maxLength: 3 }, maxContains: 2 },
    ...breaking,
  },
  {
    what: 'if asks for something else',
    before: { ...ifSmall, [then]: { minProperties: 2 } },
    after: { ...map, if: { required: ['b'] }, [then]: { minProperties: 2 } },
    ...breaking,
  },
  {
    what: 'unevaluatedProperties beside a oneOf whose alternative has a further member',
    before: { ...map, oneOf: [oneMember, { required: ['b'] }], unevaluatedProperties: false },
    after: {
      ...map,
      oneOf: [{ properties: { a: { type: 'string' }, c: {} } }, { required: ['b'] }],
      unevaluatedProperties: false,
    },
    ...breaking,
  },
  {
    what: 'unevaluatedItems beside a contains that changes',
    before: { ...list, contains: { type: 'string', maxLength: 3 }, unevaluatedItems: false },
    after: { ...list, ...texts, unevaluatedItems: false },
    ...breaking,
  },
  {
    what: 'pattern of members added to a closed object',
    before: { ...map, ...oneMember, additionalProperties: false },
    after: { ...map, ...oneMember, patternProperties: { '^x': {} }, additionalProperties: false },
    request: 'compatible',
    response: 'breaking',
  },
  {
    what: 'pattern of members removed',
    before: { ...map, ...oneMember, patternProperties: { '^x': {} }, additionalProperties: false },
    after: { ...map, ...oneMember, additionalProperties: false },
    ...breaking,
  },
  {
    what: 'contains that limits nothing',
    before: list,
    after: { ...list, ...texts, minContains: 0 },
    ...none,
  },
  {
    what: 'minContains written out',
    before: { ...list, ...texts },
    after: { ...list, ...texts, minContains: 1 },
    ...none,
  },
  { what: 'if from which nothing follows', before: map, after: ifSmall, ...none },
  {
    what: 'contentMediaType changed',
    before: { type: 'string', contentMediaType: 'text/html' },
    after: { type: 'string', contentMediaType: 'text/plain' },
    request: 'compatible',
    response: 'compatible',
  },
  {
    what: 'contentEncoding written as the format of 3.0',
    before: { type: 'string', contentEncoding: 'base64' },
    after: { type: 'string', format: 'byte' },
    ...none,
  },
  {
    what: '$ref with a sibling written as allOf',
    before: { $ref: '#/components/schemas/Seed', minProperties: 2 },
    after: { allOf: [{ $ref: '#/components/schemas/Seed' }], minProperties: 2 },
    ...none,
  },
];

const newer: Edit = ['set', 'openapi', '3.1.0'];

function casesOf({ what, before, after, request, response }: Change): Case[] {
  const one = (schema: 'Wish' | 'Gift', verdict: Case['verdict'], operation: string): Case => ({
    name: `${schema === 'Wish' ? 'request' : 'response'}: ${what}`,
    document: 'garden',
    both: [newer],
    base: [['set', `components schemas ${schema} properties later`, before]],
    next: [['set', `components schemas ${schema} properties later`, after]],
    verdict,
    // A word of a component belongs to no operation.
    ...(verdict === 'none' || what.startsWith('contentMediaType') ? {} : { operation }),
  });
  return [one('Wish', request, 'POST /wishes'), one('Gift', response, 'GET /beds/{bed}')];
}

/** OpenAPI 3.2: a stream has a schema for each of its items. */
const streams: readonly Case[] = (['narrower', 'wider'] as const).map((how) => {
  const place = 'paths /beds/{bed} get responses 200 content application/jsonl';
  const [short, long] = [
    { itemSchema: { type: 'string', maxLength: 3 } },
    { itemSchema: { type: 'string', maxLength: 4 } },
  ];
  return {
    name: `items of a stream ${how}`,
    document: 'garden',
    both: [['set', 'openapi', '3.2.0']],
    base: [['set', place, how === 'narrower' ? long : short]],
    next: [['set', place, how === 'narrower' ? short : long]],
    verdict: how === 'narrower' ? 'compatible' : 'breaking',
    operation: 'GET /beds/{bed}',
    at: `${place} itemSchema maxLength`,
  };
});

export const laterKeywords: readonly Case[] = [
  ...rows.flatMap(({ what, narrow, wide }) => [
    ...casesOf({
      what: `${what} narrowed`,
      ...{ before: wide, after: narrow, request: 'breaking', response: 'compatible' },
    }),
    ...casesOf({
      what: `${what} widened`,
      ...{ before: narrow, after: wide, request: 'compatible', response: 'breaking' },
    }),
  ]),
  ...changes.flatMap(casesOf),
  ...streams,
];
