import t from 'tap';
import { type JsonValue, parseJson } from '../../../exact-json/index.js';
import { unknownMemberRemoval } from '../../src/schema/known-members.js';
import type { ContractSchema } from '../../src/schema/schema.js';

/** Removes the unknown members, and returns the JSON of the rest. */
function left(schema: ContractSchema, json: string): string {
  const value: JsonValue = parseJson(json, 10);
  unknownMemberRemoval([schema])?.(value);
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? Number(member) : member));
}

const named: ContractSchema = { type: 'object', properties: { a: { type: 'string' } } };

t.test('members that a schema does not name are removed at every depth', async (t) => {
  t.equal(left(named, '{"a":"x","b":1,"constructor":2}'), '{"a":"x"}');
  t.equal(left({ type: 'array', items: named }, '[{"b":1},{"a":"x"},3]'), '[{},{"a":"x"},3]');
  t.equal(
    left({ type: 'object', properties: { inner: named } }, '{"inner":{"b":1,"a":"x"}}'),
    '{"inner":{"a":"x"}}',
  );
  t.equal(left({ type: 'object' }, '{"a":1}'), '{}');
});

t.test('a member is kept if any part of allOf, anyOf or oneOf names it', async (t) => {
  const other: ContractSchema = { type: 'object', properties: { b: { type: 'string' } } };
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    t.equal(left({ [keyword]: [named, other] }, '{"a":"x","b":"y","c":"z"}'), '{"a":"x","b":"y"}', keyword);
  }
});

t.test('additionalProperties keeps the members that it allows, and cleans their values', async (t) => {
  t.equal(left({ ...named, additionalProperties: true }, '{"a":"x","b":{"c":1}}'), '{"a":"x","b":{"c":1}}');
  t.equal(left({ ...named, additionalProperties: named }, '{"b":{"a":"x","c":1}}'), '{"b":{"a":"x"}}');
});

t.test('removing unknown members leaves untyped values and scalars as they are', async (t) => {
  t.equal(left({}, '{"a":1}'), '{"a":1}');
  t.equal(unknownMemberRemoval([{ type: 'string' }]), undefined);
  t.equal(left(named, '"x"'), '"x"');
  t.equal(left(named, 'null'), 'null');
});
