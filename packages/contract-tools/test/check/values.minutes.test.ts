import fc from 'fast-check';
import t from 'tap';
import { parseJson } from '../../../exact-json/index.js';
import { type ContractSchema, compileSchema } from '../../../service/layer.js';
import { boundaryValues } from '../../src/check/values/boundary-values.js';
import { brokenTexts } from '../../src/check/values/broken-parameter-texts.js';
import { breakSites } from '../../src/check/values/broken-values.js';
import { undocumentedMembers } from '../../src/check/values/undocumented.js';
import { Decimal, readJson, type Value, writeJson } from '../../src/values/json.js';
import { differs, lookAlike } from '../../src/values/look-alike.js';
import { violationsOf } from '../../src/values/schema.js';
import { anyValue, plainValue } from '../../src/values/valid-values.js';

import { schemaNode } from './schema-node.js';

const int64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;

/** Schemas with every keyword that both the judge and the server know. */
const schemas: Readonly<Record<string, ContractSchema>> = {
  integer: { type: 'integer', format: 'int64' },
  bounds: { type: 'integer', format: 'int32', minimum: 3, maximum: 9 },
  multiple: { type: 'integer', format: 'int32', multipleOf: 7 },
  lengths: { type: 'string', minLength: 2, maxLength: 4 },
  pattern: { type: 'string', maxLength: 20, pattern: '^[a-z]{2}-[0-9]+$' },
  date: { type: 'string', format: 'date' },
  moment: { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  address: { type: 'string', format: 'ipv4' },
  number: { type: 'number', minimum: 0, maximum: 10 },
  choice: { type: 'string', enum: ['a', 'b'] },
  nullable: { type: 'string', maxLength: 3, nullable: true },
  flag: { type: 'boolean' },
  array: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'integer', format: 'int32' } },
  object: {
    type: 'object',
    required: ['a'],
    additionalProperties: false,
    properties: { a: { type: 'integer', format: 'int64' }, b: { type: 'string', maxLength: 5 } },
  },
  all: {
    allOf: [
      { type: 'object', required: ['a'], properties: { a: { type: 'string', maxLength: 9 } } },
      { type: 'object', properties: { b: { type: 'boolean' } } },
    ],
  },
};

for (const [name, schema] of Object.entries(schemas)) {
  const node = schemaNode(schema);
  const server = compileSchema(schema);
  const serverTakes = (value: Value): boolean => server(parseJson(writeJson(value), 32)) === undefined;

  t.test(`values generated to fit a schema fit it in the eyes of the server, too: ${name}`, async (t) => {
    const generated = fc.sample(anyValue([node]), { seed: 1, numRuns: 200 });
    const values = [...generated, plainValue([node]), ...boundaryValues([node]).map(({ value }) => value)];
    t.ok(values.length > 200);
    t.same(values.filter((value) => violationsOf(node, value).length > 0).map(writeJson), []);
    t.same(values.filter((value) => !serverTakes(value)).map(writeJson), []);
  });

  t.test(
    `values generated to break a keyword break it in the eyes of the server, too: ${name}`,
    async (t) => {
      const plain = plainValue([node]);
      const broken = breakSites(node, plain);
      t.ok(broken.length > 0);
      for (const { keyword, apply } of broken) {
        const value = apply(plain);
        t.ok(
          violationsOf(node, value).some((violation) => violation.keyword === keyword),
          writeJson(value),
        );
        t.notOk(serverTakes(value), `${keyword}: ${writeJson(value)}`);
      }
    },
  );
}

t.test("the checker's judge and the server agree on any JSON", async (t) => {
  const anything = fc.jsonValue({ maxDepth: 2 }).map((value) => readJson(Buffer.from(JSON.stringify(value))));
  for (const [name, schema] of Object.entries(schemas)) {
    const server = compileSchema(schema);
    fc.assert(
      fc.property(anything, (value) => {
        const fits = server(parseJson(writeJson(value), 32)) === undefined;
        return fits === (violationsOf(schemaNode(schema), value).length === 0);
      }),
      { seed: 1 },
    );
    t.pass(name);
  }
});

t.test('the checker breaks every keyword of a schema', async (t) => {
  const keywords = (schema: ContractSchema): Set<string> => {
    const node = schemaNode(schema);
    return new Set(breakSites(node, plainValue([node])).map(({ keyword }) => keyword));
  };
  for (const schema of Object.values(schemas)) {
    const inert = new Set(['properties', 'items', 'allOf', 'nullable']);
    const expected = Object.keys(schema).filter((keyword) => !inert.has(keyword));
    t.ok(
      expected.every((keyword) => keywords(schema).has(keyword)),
      `${expected} in ${[...keywords(schema)]}`,
    );
  }
});

t.test('the checker compares integers to the last digit', async (t) => {
  const node = schemaNode({ type: 'integer', format: 'int64' });
  for (const bound of int64) t.same(violationsOf(node, bound), []);
  t.match(violationsOf(node, int64[1] + 1n), [{ keyword: 'format' }]);
  t.match(violationsOf(node, new Decimal('12.0')), [{ keyword: 'type' }]);
  t.equal(writeJson(readJson(Buffer.from('[9007199254740993,1.50,-0.0]'))), '[9007199254740993,1.50,-0.0]');
});

t.test('the checker describes texts that look alike by their code points, and others not', async (t) => {
  for (const [expected, found, told] of [
    ['caf\u00e9', 'cafe\u0301', ' (U+0065 U+0301 instead of U+00E9)'],
    ['a b', 'a\u00a0b', ' (U+00A0 instead of U+0020)'],
    ['a', 'a\u200b', ' (U+200B instead of nothing)'],
    ['Rosa', 'R\u043esa', ' (U+043E instead of U+006F)'],
    ['\u212b', '\u00c5', ' (U+00C5 instead of U+212B)'],
    ['rock\u2019n', "rock'n", ' (U+0027 instead of U+2019)'],
    ['e\u0301'.repeat(9), '\u00e9'.repeat(9), / \((?:U\+00E9 ){8}… instead of (?:U\+0065 U\+0301 ){4}…\)$/],
    ['aa', 'a', ''],
    ['a', 'b', ''],
    ['a', 'a', ''],
    ['a', undefined, ''],
    [
      { name: 'x', tags: ['\u00e9'] },
      { name: 'x', tags: ['e\u0301'] },
      / \(U\+0065 U\+0301 instead of U\+00E9\)$/,
    ],
  ] as const) {
    const words = lookAlike(expected, found);
    if (typeof told === 'string') t.equal(words, told);
    else t.match(words, told);
  }
  t.equal(
    differs('name', { name: 'a\u00a0b' }, { name: 'a b' }),
    '"name" differs (U+0020 instead of U+00A0)',
  );
  t.equal(differs('name', { name: 'a' }, { name: 'b' }), '"name" differs');
  const choice = schemaNode({ type: 'string', enum: ['Ros\u00e9'] });
  t.match(violationsOf(choice, 'Rose\u0301'), [{ message: /\(U\+0065 U\+0301 instead of U\+00E9\)$/ }]);
  const closed = schemaNode({ type: 'object', properties: { name: { type: 'string' } } });
  t.match(undocumentedMembers([closed], { n\u0430me: '' }), [{ message: /\(U\+0430 instead of U\+0061\)$/ }]);
});

t.test('the checker refuses JSON that readers disagree about', async (t) => {
  for (const text of ['{"a":1,"a":2}', '{"x":{"a":1,"a":1}}', '\ufeff{}', '[1,]', '01', '', '"\\ud83c"']) {
    t.throws(() => readJson(Buffer.from(text)), { name: 'NotJsonError' }, text);
  }
  t.throws(() => readJson(Buffer.from([0x22, 0xff, 0x22])), { message: 'is not UTF-8' });
  t.same(readJson(Buffer.from('{"a":"1","b":{"a":"n1"}}')), { a: '1', b: { a: 'n1' } });
});

t.test('the checker reports a member that no schema names, unless the schema is open', async (t) => {
  const closed = schemaNode(schemas['all']);
  t.match(undocumentedMembers([closed], { a: '', c: 1n }), [{ message: /"c"/ }]);
  t.same(undocumentedMembers([closed], { a: '', b: true }), []);
  const open = schemaNode({ type: 'object', properties: {}, additionalProperties: { type: 'string' } });
  t.same(undocumentedMembers([open], { x: '' }), []);
});

t.test('generated broken texts of an integer parameter do not fit, but resemble one that does', async (t) => {
  const texts = brokenTexts(schemaNode({ type: 'integer', format: 'int64' }), '12');
  const made = texts.map(({ from }) => from('34'));
  for (const text of ['34.0', '+34', '034', '0x34', ' 34', String(int64[1] + 1n)])
    t.ok(made.includes(text), text);
  t.notOk(made.includes('34'));
});
