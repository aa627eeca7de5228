import fc from 'fast-check';
import t from 'tap';
import { exactJson } from '../../../exact-json/index.js';
import { type ContractSchema, compileSchema } from '../../src/schema/schema.js';
import { type Column, readMembers } from '../../src/store/columns/columns.js';
import { pageTextReader } from '../../src/store/columns/page-text.js';
import { columnTypeOf } from '../../src/store/start/column-type-of.js';
import { openObjectIn } from '../../src/store/start/open-objects.js';
import { admitsNul, formatsWithoutNul } from '../../src/store/start/unstorable-text.js';

t.test('exactJson keeps every digit, and gives equal values equal texts', async (t) => {
  t.equal(
    exactJson({ b: [9007199254740993n, 1.5, null], a: { d: 'x"\u001f', c: true } }),
    '{"a":{"c":true,"d":"x\\"\\u001f"},"b":[9007199254740993,1.5,null]}',
  );
  t.equal(exactJson({ a: 1, b: 2 }), exactJson({ b: 2, a: 1 }));
  t.equal(exactJson(-0), exactJson(0));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      t.strictSame(JSON.parse(exactJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

t.test('a schema gets the column type that holds all of its values', async (t) => {
  const types: readonly (readonly [ContractSchema, string])[] = [
    [{ type: 'string', format: 'uuid' }, 'text'],
    [{ enum: ['a', 'b'] }, 'text'],
    [{ enum: [true] }, 'boolean'],
    [{ enum: [{ a: 1 }] }, 'jsonb'],
    [{ type: 'string', enum: ['a', null] }, 'jsonb'],
    [{ type: 'integer', format: 'int32' }, 'integer'],
    [{ type: 'integer', format: 'int64' }, 'bigint'],
    [{ type: 'number' }, 'double precision'],
    [{ type: 'number', format: 'float' }, 'double precision'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'array', items: { type: 'string' } }, 'jsonb'],
    [{ type: 'object' }, 'jsonb'],
    [{ type: ['string', 'null'] }, 'jsonb'],
    [{ allOf: [{ type: 'string' }], description: 'A name.' }, 'text'],
    [{ oneOf: [{ type: 'string' }, { type: 'boolean' }] }, 'jsonb'],
    [{}, 'jsonb'],
  ];
  for (const [schema, type] of types) t.equal(columnTypeOf(schema), type, JSON.stringify(schema));
});

t.test('a schema that allows U+0000 in a text is recognized', async (t) => {
  const text = (pattern: string): ContractSchema => ({ type: 'string', pattern });
  const without: readonly ContractSchema[] = [
    text('^[^\\x00]*$'),
    text('^[a-z]+$'),
    text('^(?:red|green)$'),
    text('^(red|green)-(light|dark)$'),
    text('^([a-z]|(b|c))$'),
    text('^(?!\\s*$)[^\\u0000]+$'),
    text('^(?=.*[A-Z])\\w{1,20}$'),
    text('^(\\w)\\1$'),
    text('^\\bx\\b$'),
    text('^[\\]a]$'),
    { type: 'string', format: 'date-time' },
    { type: 'string', enum: ['a', 'b'] },
    { allOf: [{ type: 'string' }, text('^[a-z]$')] },
    { oneOf: [text('^a$'), { type: 'boolean' }] },
    { type: 'integer', format: 'int64' },
    { type: 'array', items: text('^a$') },
    { type: 'object', properties: { a: text('^a$') } },
  ];
  const withIt: readonly ContractSchema[] = [
    { type: 'string' },
    { type: 'string', format: 'password' },
    { type: 'string', format: 'binary' },
    { type: 'string', enum: ['a\0'] },
    text('.*'),
    text('^.*$'),
    text('^[a-z]'),
    text('[a-z]$'),
    text('^[^a]*$'),
    text('^\\S+$'),
    text('^\\0$'),
    text('^a|b$'),
    text('^(a|b)|(c|d)$'),
    text('^(?:a)|(?:b)$'),
    {},
    { oneOf: [text('^a$'), { type: 'string' }] },
    { type: 'array' },
    { type: 'array', items: { type: 'string' } },
    { type: 'object', additionalProperties: { type: 'boolean' } },
    { type: 'object', properties: { a: { type: 'string' } } },
    {
      allOf: [
        { type: 'object', properties: { a: text('^a$') } },
        { type: 'object', properties: { b: { type: 'string' } } },
      ],
    },
  ];
  for (const schema of without) t.notOk(admitsNul(schema), JSON.stringify(schema));
  for (const schema of withIt) t.ok(admitsNul(schema), JSON.stringify(schema));
});

t.test('an item is the same, whether it is read as a row or as a part of a text', async (t) => {
  const column = (type: Column['type'], optional: boolean): Column => ({
    name: `${type} ${optional}`,
    type,
    optional,
    fromJson: (value) => value,
  });
  const types = ['text', 'uuid', 'bigint', 'integer', 'double precision', 'boolean', 'jsonb'] as const;
  const columns = types.flatMap((type) => [column(type, false), column(type, true)]);
  const texts = {
    text: fc.string().filter((text) => !text.includes('\u001e') && !text.includes('\u001f')),
    uuid: fc.uuid(),
    'double precision': fc.constantFrom('0.5', '-1e300'),
    bigint: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
    integer: fc.integer().map(String),
    boolean: fc.constantFrom('true', 'false'),
    jsonb: fc.constantFrom('null', '{"a": null}', '[]', '"x"', '9007199254740993'),
  };
  const row = fc.tuple(
    ...columns.map(({ type, optional }) => (optional ? fc.option(texts[type]) : texts[type])),
  );
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
      const optional = columns.map((one, at) => (one.optional ? at : -1));
      const page = {
        ...Object.fromEntries(
          columns.map((_, at) => [`text_${at}`, rows.map((one) => one[at] ?? '\u001e').join('\u001f')]),
        ),
        present: rows.reduce(
          (sum, one) => sum + one.filter((text, at) => optional.includes(at) && text !== null).length,
          0,
        ),
        length: rows.length,
      };
      const alone = rows.map((one) => readMembers(columns, one));
      t.strictSame(pageTextReader(columns)(page), alone);
    }),
  );
});

t.test('the text of a page is refused if a value in it contains a delimiter', async (t) => {
  const column = (name: string, optional: boolean): Column => ({
    name,
    type: 'text',
    optional,
    fromJson: (value) => value,
  });
  const [separator, absent] = ['\u001f', '\u001e'];
  const read = pageTextReader([column('name', false), column('tag', true)]);
  const pageOf = (rows: readonly (readonly [string, string | null])[]) => ({
    text_0: rows.map(([name]) => name).join(separator),
    text_1: rows.map(([, tag]) => tag ?? absent).join(separator),
    present: rows.filter(([, tag]) => tag !== null).length,
    length: rows.length,
  });
  const rows = [
    ['Ficus', null],
    ['', ''],
    ['x', 'climber'],
  ] as const;
  t.strictSame(read(pageOf(rows)), [{ name: 'Ficus' }, { name: '', tag: '' }, { name: 'x', tag: 'climber' }]);
  t.strictSame(read(pageOf([])), []);
  const numbers: Column[] = [{ ...column('size', true), type: 'integer' }];
  const sizes = { text_0: ['7', absent].join(separator), present: 1, length: 2 };
  t.strictSame(pageTextReader(numbers)(sizes), [{ size: 7 }, {}]);
  const odd = `a"b'c\\d\n\u2028\${e}]`;
  t.strictSame(pageTextReader([column(odd, false)])({ text_0: 'x', present: 0, length: 1 }), [
    { [odd]: 'x' },
  ]);
  for (const row of [
    ['x', separator],
    ['x', absent],
    [`x${separator}y`, null],
  ] as const)
    t.equal(read(pageOf([...rows, row])), undefined);
  const within = `x${absent}y`;
  t.strictSame(read(pageOf([...rows, [within, null]]))?.at(-1), { name: within });
});

t.test('formats that are listed as excluding U+0000 do exclude it', async (t) => {
  const samples = [
    'a',
    '1',
    'http://a/',
    'a@b.cd',
    '2026-11-22',
    '2026-11-22T08:00:00Z',
    '08:00:00Z',
    '1.2.3.4',
    '::1',
    'P1D',
  ];
  const texts = samples.flatMap((text) => [
    `${text}\0`,
    `\0${text}`,
    `${text}\0\n`,
    `${text}\n\0`,
    text.replace(/.$/, '\0$&'),
  ]);
  for (const format of formatsWithoutNul) {
    const violationOf = compileSchema({ type: 'string', format });
    t.ok(
      texts.every((text) => violationOf(text) !== undefined),
      format,
    );
  }
});

t.test('a schema that allows unnamed members is recognized, however deep they are', async (t) => {
  const named: ContractSchema = { type: 'object', properties: { a: { type: 'string' } } };
  const open: readonly ContractSchema[] = [
    {},
    { type: 'object' },
    { ...named, additionalProperties: true },
    { type: 'array', items: { type: 'object' } },
    { type: 'object', properties: { inner: { type: 'array', items: {} } } },
    { allOf: [named, { type: 'object', additionalProperties: { type: 'string' } }] },
  ];
  const closed: readonly ContractSchema[] = [
    named,
    { type: ['string', 'null'] },
    { enum: ['a', null] },
    { type: 'array', items: named },
    { allOf: [named, { type: 'object', required: ['a'] }] },
    { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
  ];
  for (const schema of open) t.type(openObjectIn(schema), 'string', JSON.stringify(schema));
  for (const schema of closed) t.equal(openObjectIn(schema), undefined, JSON.stringify(schema));
});
