import t from 'tap';
import { breakSites } from '../../src/check/values/broken-values.js';
import { writeOnlyMembers } from '../../src/check/values/undocumented.js';
import type { Value } from '../../src/values/json.js';
import { violationsOf } from '../../src/values/schema.js';
import { schemaNode } from './schema-node.js';

/** That what JSON Schema 2020-12 says under a condition is broken in requests, and nothing else with it. */

const members = `"kind": { "enum": ["card", "cash"] }, "card": { "type": "string" }, "note": { "type": "string" }`;
const ofCards = `{ "properties": { "kind": { "const": "card" } }, "required": ["kind"] }`;

/** Further keywords of an object with these members, and a value that fits them. */
const objects: readonly (readonly [keyword: string, keywords: string, plain: Value])[] = [
  ['then', `"if": ${ofCards}, "then": { "required": ["card"] }`, { kind: 'cash' }],
  ['else', `"if": ${ofCards}, "else": { "required": ["note"] }`, { kind: 'card' }],
  ['not', `"not": { "required": ["card", "note"] }`, {}],
  ['dependentRequired', `"dependentRequired": { "card": ["note"] }`, { card: 'a', note: 'a' }],
  ['dependentSchemas', `"dependentSchemas": { "card": { "required": ["note"] } }`, {}],
  ['propertyNames', `"propertyNames": { "pattern": "^[a-z]{1,9}$" }`, {}],
  ['patternProperties', `"patternProperties": { "^x-[a-z]+$": { "type": "string", "maxLength": 9 } }`, {}],
];

/** Keywords whose members another schema of the same object describes. */
const divided = [
  `"not": { "required": ["card", "note"] }`,
  `"dependentRequired": { "card": ["note"] }`,
  `"if": ${ofCards}, "then": { "required": ["card"] }`,
];

for (const keywords of divided) {
  t.test(`a keyword is broken beside an allOf that describes the members: ${keywords}`, async (t) => {
    const described = `"properties": { "kind": { "enum": ["card", "cash"] }, "card": { "type": "boolean" }, "note": { "type": "integer" } }`;
    const schema: unknown = JSON.parse(`{ "allOf": [{ ${described} }], ${keywords} }`);
    const node = schemaNode(schema, '3.1.0');
    const keyword = /"(not|dependentRequired|then)"/.exec(keywords)?.[1];
    const broken = breakSites(node, { kind: 'cash' }).filter((one) => one.keyword === keyword);
    t.not(broken.length, 0);
    for (const one of broken) {
      t.equal(violationsOf(node, one.apply({ kind: 'cash' })).length, 1, one.why({ kind: 'cash' }));
    }
  });
}

t.test(
  'too few and too many items of "contains" are sent, and nothing else is wrong with them',
  async (t) => {
    const contained = `{ "type": "object", "required": ["main"], "properties": { "main": { "const": true } } }`;
    const items = `{ "type": "object", "properties": { "main": { "type": "boolean" } } }`;
    const schema: unknown = JSON.parse(
      `{ "type": "array", "minItems": 1, "items": ${items}, "contains": ${contained}, "minContains": 1, "maxContains": 2 }`,
    );
    const node = schemaNode(schema, '3.1.0');
    const fitting = [{ main: true }];
    const broken = breakSites(node, fitting).filter((one) => /ontains/.test(one.keyword));
    t.same([...new Set(broken.map(({ keyword }) => keyword))].toSorted(), ['maxContains', 'minContains']);
    for (const one of broken) t.equal(violationsOf(node, one.apply(fitting)).length, 1, one.why(fitting));
  },
);

/** Members that no plainest request has, each with a keyword that only a request with the member breaks. */
const optional: readonly (readonly [keyword: string, keywords: string, path: string])[] = [
  ['dependentRequired', `"dependentRequired": { "card": ["note"] }`, ''],
  [
    'dependentRequired',
    `"properties": { "in": { "type": "object", ${`"properties": { ${members} }`}, "dependentRequired": { "card": ["note"] } } }`,
    '/in',
  ],
  [
    'propertyNames',
    `"properties": { "in": { "type": "object", "propertyNames": { "pattern": "^[a-z]{1,9}$" }, "additionalProperties": { "type": "integer" } } }`,
    '/in',
  ],
  [
    'patternProperties',
    `"properties": { "in": { "type": "object", "patternProperties": { "^x-[a-z]+$": { "type": "integer" } } } }`,
    '/in',
  ],
];

for (const [keyword, keywords, pointer] of optional) {
  t.test(`"${keyword}" is broken where the plainest request has no such member: ${keywords}`, async (t) => {
    const schema: unknown = JSON.parse(`{ "type": "object", "properties": { ${members} }, ${keywords} }`);
    const node = schemaNode(schema, '3.1.0');
    const broken = breakSites(node, {}).filter((one) => one.keyword === keyword && one.pointer === pointer);
    t.not(broken.length, 0);
    for (const one of broken) t.equal(violationsOf(node, one.apply({})).length, 1, one.why({}));
  });
}

for (const [keyword, keywords, plain] of objects) {
  t.test(`a request breaks "${keyword}", and nothing else`, async (t) => {
    const schema: unknown = JSON.parse(`{ "type": "object", "properties": { ${members} }, ${keywords} }`);
    const node = schemaNode(schema, '3.1.0');
    t.same(violationsOf(node, plain), []);
    const broken = breakSites(node, plain).filter((one) => one.keyword === keyword);
    t.not(broken.length, 0);
    for (const one of broken) t.equal(violationsOf(node, one.apply(plain)).length, 1, one.why(plain));
  });
}

t.test('a writeOnly member in an answer is a finding, also deeper and in lists', async (t) => {
  const user = {
    type: 'object',
    properties: { name: { type: 'string' }, password: { type: 'string', writeOnly: true } },
  };
  const node = schemaNode({ type: 'object', properties: { users: { type: 'array', items: user } } }, '3.1.0');
  t.same(writeOnlyMembers([node], { users: [{ name: 'a' }, { name: 'b', password: null }] }), []);
  const found = writeOnlyMembers([node], { users: [{ name: 'a' }, { name: 'b', password: 'c' }] });
  t.match(found, [{ pointer: '/users/1', keyword: 'writeOnly' }]);
});
