import t from 'tap';
import type { JsonObject } from '../../../exact-json/index.js';
import { toHandlerValues } from '../../src/schema/handler-values.js';
import { unknownMemberRemoval } from '../../src/schema/known-members.js';
import { type ContractSchema, compileSchema, subschemasOf } from '../../src/schema/schema.js';

/** A tree whose branches are trees, in a list, a map, and an alternative. */
function treeSchema(): ContractSchema {
  const tree: Record<string, unknown> = { type: 'object', required: ['name'] };
  tree['properties'] = {
    name: { type: 'string' },
    age: { type: 'integer', format: 'int32' },
    branches: { type: 'array', items: tree },
    byName: { type: 'object', additionalProperties: tree },
    graft: { oneOf: [{ type: 'string' }, tree] },
  };
  return tree;
}

t.test('a schema that contains itself is checked at every depth', (t) => {
  const violationOf = compileSchema(treeSchema());
  const chain = (depth: number, leaf: unknown): unknown =>
    depth === 0 ? leaf : { name: 'a', branches: [chain(depth - 1, leaf)] };
  for (const value of [{ name: 'a' }, chain(50, { name: 'a' }), { name: 'a', graft: 'b' }]) {
    t.equal(violationOf(value), undefined);
  }
  for (const [value, pointer] of [
    [false, ''],
    [[], ''],
    [{}, ''],
    [{ name: 5n }, '/name'],
    [chain(3, { name: 5n }), '/branches/0/branches/0/branches/0/name'],
    [{ name: 'a', byName: { b: { name: 'c', age: 2n ** 31n } } }, '/byName/b/age'],
  ] as const) {
    t.equal(violationOf(value)?.pointer, pointer);
  }
  t.ok(violationOf({ name: 'a', graft: { name: 'b', graft: {} } }), 'within an alternative');
  t.end();
});

t.test(
  'a value of a schema that contains itself gets its numbers, and loses unknown members, at every depth',
  (t) => {
    const schema = treeSchema();
    const value: JsonObject = {
      name: 'a',
      age: 1n,
      branches: [{ name: 'b', age: 2n, colour: 'red', byName: { x: { name: 'c', age: 3n, size: 1n } } }],
      graft: { name: 'd', age: 4n },
    };
    unknownMemberRemoval([schema])?.(value);
    t.strictSame(toHandlerValues(schema)?.(value), {
      name: 'a',
      age: 1,
      branches: [{ name: 'b', age: 2, byName: { x: { name: 'c', age: 3 } } }],
      graft: { name: 'd', age: 4 },
    });
    t.end();
  },
);

t.test('a schema that is its own alternative is refused, because a check would never end', (t) => {
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const schema: Record<string, unknown> = {};
    schema[keyword] = [{ type: 'string' }, schema];
    t.throws(() => compileSchema(schema), /own alternative/, keyword);
    t.equal(subschemasOf(schema).length, 2, keyword);
  }
  t.end();
});
