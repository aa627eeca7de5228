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
