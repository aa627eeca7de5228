import fc from 'fast-check';
import t from 'tap';
import { JsonError, type JsonValue, parseJson } from '../../../exact-json/index.js';
import { anyCharacter } from '../support/contract/characters.js';

const depth = 100;

/** Converts to the values of JSON.parse: integers to numbers, objects to plain objects. */
function plain(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function faultOf(text: string, levels = depth): string {
  try {
    parseJson(text, levels);
  } catch (error) {
    if (error instanceof JsonError) return error.message;
    throw error;
  }
  return 'none';
}

const space = [' ', '\t', '\n', '\r'];
const valid = [
  ...['null', 'true', 'false', '""', '[]', '{}', '[ ]', '{ }', '[[]]', '[{}]', '{"":{}}'],
  ...[
    '0',
    '-0',
    '1',
    '-1',
    '10',
    '1.0',
    '0.5',
    '-0.5',
    '1e3',
    '1E3',
    '1e+3',
    '1e-3',
    '1.5e3',
    '0e0',
    '1e400',
  ],
  ...[
    '"a"',
    '"é"',
    '"€"',
    '"😀"',
    '"\\""',
    '"\\\\"',
    '"\\/"',
    '"/"',
    '"\\b\\f\\n\\r\\t"',
    '"\\u00e9"',
    '"\\u00E9"',
  ],
  ...['"\\u0000"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"', '"\u007f"', '"\u2028\u2029"', '"\ufeff"'],
  ...['[1,2]', '[ 1 , 2 ]', '{"a":1}', '{ "a" : 1 , "b" : 2 }', '{"a":{"a":{"a":[null]}}}'],
  ...space.map((character) => `${character}[${character}1${character}]${character}`),
];
const invalid = [
  ...[
    '',
    ' ',
    '\n',
    'nul',
    'nulL',
    'Null',
    'True',
    'tru',
    'falsey',
    'undefined',
    'NaN',
    'Infinity',
    '-Infinity',
  ],
  ...[
    '01',
    '-01',
    '00',
    '+1',
    '1.',
    '.5',
    '-.5',
    '1e',
    '1e+',
    '1E-',
    '1.e3',
    '-',
    '--1',
    '- 1',
    '0x10',
    '1_000',
  ],
  ...[
    '1 000',
    '1,5',
    '１',
    "'a'",
    'a',
    '"',
    '"a',
    'a"',
    '"\\',
    '"\\"',
    '"a\nb"',
    '"a\tb"',
    '"\u0000"',
    '"\u001f"',
  ],
  ...[
    '"\\a"',
    '"\\x41"',
    '"\\u"',
    '"\\u12"',
    '"\\u12',
    '"\\u123g"',
    '"\\U0041"',
    '"\\u 041"',
    '"\\\n"',
    '"\\0"',
  ],
  ...['[', ']', '[1', '[1,', '[1,]', '[,1]', '[,]', '[1 2]', '[1;2]', '[1}', '{', '}', '{]', '{"a"', '{"a":'],
  ...['{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{a:1}', "{'a':1}", '{1:1}', '{"a" 1}', '{"a",1}', '{"a":}'],
  ...[
    '{"a":1 "b":2}',
    '{null:1}',
    '{"a"::1}',
    '1 2',
    '{}{}',
    '[]1',
    'null,',
    '1//',
    '/**/1',
    '[1/**/]',
    '#',
    '()',
  ],
  ...['\u00a01', '\f1', '\v1', '1\u0000', '\u20281', '1\ufeff', '\ufeff\ufeff1'],
];

t.test('every form of RFC 8259 is read as JSON.parse reads it', async (t) => {
  const values = valid.map((text) => plain(parseJson(text, depth)));
  t.strictSame(
    values,
    valid.map((text) => JSON.parse(text)),
  );
});

t.test('text outside RFC 8259 is refused, as JSON.parse refuses it', async (t) => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  t.strictSame(invalid.filter(isJson), []);
  t.strictSame(
    invalid.filter((text) => faultOf(text) === 'none'),
    [],
  );
});

t.test('every JSON text has the value that JSON.parse gives it', async () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), undefined, indent);
      // Another test covers the member names that are refused.
      fc.pre(!spaced.includes('__proto__'));
      return JSON.stringify(plain(parseJson(spaced, depth))) === JSON.stringify(JSON.parse(spaced));
    }),
  );
});

t.test('every double in JSON keeps its value', async () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(fc.property(double, (value) => Number(parseJson(JSON.stringify(value), depth)) === (value || 0)));
});

t.test('JSON with one character inserted is accepted and refused as by JSON.parse', async () => {
  const character = fc.constantFrom(...'{}[]",:\\/ \n\u0000aeu01+-.tfn');
  fc.assert(
    fc.property(fc.json(), character, fc.nat(), (text, inserted, place) => {
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + inserted + text.slice(at);
      let expected: unknown;
      try {
        expected = JSON.stringify(JSON.parse(changed));
      } catch {
        return faultOf(changed) !== 'none';
      }
      const fault = faultOf(changed);
      return fault === 'none'
        ? JSON.stringify(plain(parseJson(changed, depth))) === expected
        : /names a member twice|__proto__|half of a surrogate pair/.test(fault);
    }),
    { numRuns: 1000 },
  );
});

t.test('a JSON string with all code units escaped has the value of the string', async () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (string) => {
      const escaped = Array.from(
        { length: string.length },
        (_, index) => `\\u${string.charCodeAt(index).toString(16).padStart(4, '0')}`,
      );
      return parseJson(`"${escaped.join('')}"`, depth) === string;
    }),
  );
});

t.test('a JSON integer of any size is exact, and 1.0 and 1e1 are not integers', async (t) => {
  fc.assert(fc.property(fc.bigInt(), (integer) => parseJson(String(integer), depth) === integer));
  fc.assert(
    fc.property(
      fc.bigInt({ min: 10n ** 300n, max: 10n ** 600n }),
      (integer) => parseJson(`[-${integer}]`, depth)?.toString() === `-${integer}`,
    ),
  );
  t.equal(parseJson('9007199254740993', depth), 9007199254740993n);
  t.equal(parseJson('-0', depth), 0n);
  t.equal(parseJson('1', depth), 1n);
  t.equal(parseJson('1.0', depth), 1);
  t.equal(parseJson('1e3', depth), 1000);
  t.equal(parseJson('1E0', depth), 1);
});

t.test('a byte order mark at the beginning of JSON is ignored (RFC 8259, section 8.1)', async (t) => {
  t.equal(parseJson('\ufefftrue', depth), true);
  t.match(faultOf('\ufeff'), 'is empty');
});

t.test('JSON with a duplicate member is refused, however the name is escaped', async (t) => {
  for (const [text, position] of [
    ['{"a":1,"a":1}', 8],
    ['{"a":1,"\\u0061":2}', 8],
    ['{"\\u0061":1,"a":2}', 13],
    ['{"":1,"":2}', 7],
    ['{"1":1,"1":2}', 8],
    ['[{"b":{"c":1,\n"c":1}}]', 15],
    ['{"toString":1,"toString":2}', 15],
  ] as const) {
    t.equal(faultOf(text), `names a member twice, at character ${position}`, text);
  }
  t.strictSame(plain(parseJson('[{"a":1},{"a":{"a":2}}]', depth)), [{ a: 1 }, { a: { a: 2 } }]);
});

t.test('a JSON member named __proto__ is refused, and changes no prototype', async (t) => {
  for (const text of [
    '{"__proto__":{"admin":true}}',
    '{"\\u005f_proto__":1}',
    '[{"a":{"__proto__":null}}]',
  ]) {
    t.match(faultOf(text), 'has a member "__proto__"', text);
  }
  t.notOk('admin' in {});
});

t.test('a JSON object has the members of its text and no others', async (t) => {
  const names = ['toString', 'constructor', 'hasOwnProperty', 'valueOf', 'prototype', '__defineGetter__'];
  const empty = parseJson('{}', depth);
  const full = parseJson(`{${names.map((name) => `"${name}":null`).join()}}`, depth);
  t.strictSame(Object.keys(full ?? {}), names);
  for (const name of names) {
    t.equal(Reflect.get(Object(empty), name), undefined, name);
    t.equal(Reflect.get(Object(full), name), null, name);
  }
});

t.test('a JSON string must be well-formed Unicode', async (t) => {
  t.equal(parseJson('"\\ud83d\\ude00"', depth), '😀');
  t.equal(parseJson('"a\\ud83d\\ude00b"', depth), 'a😀b');
  for (const text of [
    '"\\ud83d"',
    '"\\ude00"',
    '"\\ude00\\ud83d"',
    '"\\ud83dx\\ude00"',
    '"\\ud83d\\ud83d\\ude00"',
  ]) {
    t.equal(faultOf(text), 'has half of a surrogate pair in a string, at character 1', text);
    t.equal(faultOf(`{${text}:1}`), 'has half of a surrogate pair in a string, at character 2', text);
  }
});

t.test('JSON arrays and objects may nest down to the allowed depth, and no deeper', async (t) => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
    t.equal(faultOf(nested(3), 3), 'none');
    t.equal(faultOf(nested(4), 3), `is nested deeper than 3 levels, at character ${open.length * 3 + 1}`);
    t.match(faultOf(nested(1), 0), 'is nested deeper than 0 levels');
    t.match(faultOf(open.repeat(1_000_000), 1000), 'is nested deeper than 1000 levels');
  }
  t.equal(faultOf('[[],[],{},{"a":[]}]', 3), 'none', 'width is no depth');
});

t.test('a fault in JSON is reported with its position', async (t) => {
  for (const [text, message] of [
    ['', 'is empty'],
    ['[1,]', 'is not JSON: a value is missing, at character 4'],
    ['nulx', 'is not JSON: a value is missing, at character 1'],
    ['[1 2]', 'is not JSON: a comma or a closing bracket is missing, at character 4'],
    ['{"a":1 "b"}', 'is not JSON: a comma or a closing brace is missing, at character 8'],
    ['{"a" 1}', 'is not JSON: a colon is missing, at character 6'],
    ['{"a":1,}', 'is not JSON: a member name is missing, at character 8'],
    ['["a\n"]', 'is not JSON: a string does not end, or has a control character, at character 4'],
    ['["a', 'is not JSON: a string does not end, or has a control character, at character 4'],
    ['["a\\x"]', 'is not JSON: a string has an unknown escape, at character 4'],
    ['["a\\', 'is not JSON: a string has an unknown escape, at character 4'],
    ['["\\u12"]', 'is not JSON: a string has an unknown escape, at character 3'],
    ['1 x', 'has something after its end, at character 3'],
    ['01', 'has something after its end, at character 2'],
  ] as const) {
    t.equal(faultOf(text), message, JSON.stringify(text));
  }
});

t.test('integers are exact at every length, up to a limit', async (t) => {
  for (let digits = 1; digits <= 40; digits++) {
    for (const text of ['9'.repeat(digits), `-${'9'.repeat(digits)}`, `1${'0'.repeat(digits - 1)}`])
      t.equal(parseJson(text, depth), BigInt(text), text);
  }
  t.equal(parseJson('-0', depth), 0n);
  t.equal(parseJson('1.0', depth), 1);
  t.equal(parseJson('10e0', depth), 10);
  t.equal(parseJson('9'.repeat(1_000), depth), BigInt('9'.repeat(1_000)));
  t.equal(faultOf(`[${'9'.repeat(1_001)}]`), 'has an integer of more than 1000 digits, at character 2');
  t.type(parseJson(`0.${'9'.repeat(1_001)}`, depth), 'number');
});

// A time that grows with the square of the length would be hours.
t.test('4 MB of hostile JSON are parsed in linear time', async (t) => {
  const length = 4_000_000;
  const hostile: Readonly<Record<string, string>> = {
    members: `{${Array.from({ length: length / 10 }, (_, index) => `"m${index}":0`).join()}}`,
    'integer members': `{${Array.from({ length: length / 10 }, (_, index) => `"${index * 7919}":0`).join()}}`,
    escapes: `"${'\\u00e9'.repeat(length / 6)}"`,
    'unterminated string': `"${'\\\\'.repeat(length / 2)}`,
    elements: `[${'0,'.repeat(length / 2)}0]`,
    'unclosed arrays': '[['.repeat(length / 2),
    space: ' '.repeat(length),
    integer: '9'.repeat(length),
    fraction: `0.${'9'.repeat(length)}`,
    strings: `[${'"\\n",'.repeat(length / 5)}""]`,
  };
  for (const [name, text] of Object.entries(hostile)) {
    faultOf(text);
    t.pass(name);
  }
});
