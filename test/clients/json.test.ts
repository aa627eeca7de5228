import { anything, assert, bigInt, oneof, property, string } from 'fast-check';
import t from 'tap';
import { readJson, writeJson } from '../../scripts/pack/json.js';

/** The reader and the writer of JSON in the contract's package. */

t.test('writeJson writes what JSON.stringify writes, if there is no bigint', async (t) => {
  const same = property(anything({ withDate: true }), (value) => {
    t.equal(writeJson(value), JSON.stringify(value) ?? 'null');
  });
  assert(same);
});

t.test('readJson reads what JSON.parse reads, if a double holds every integer', async (t) => {
  const same = property(anything(), (value) => {
    const text = JSON.stringify(value) ?? 'null';
    if (!/\d{16}/.test(text)) t.strictSame(readJson(text), JSON.parse(text));
  });
  assert(same);
  t.strictSame(readJson('[9007199254740993.0, 1e30, -9007199254740991]'), [
    2 ** 53,
    1e30,
    Number.MIN_SAFE_INTEGER,
  ]);
});

t.test('readJson reads what writeJson wrote, whatever stands beside an integer', async (t) => {
  const beyond = oneof(
    bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
    bigInt({ min: -(2n ** 80n), max: -(2n ** 53n) }),
  );
  const text = oneof(
    string({ unit: 'binary' }),
    // readJson marks an integer by U+0000.
    beyond.map((integer) => `\u0000${integer}`),
    beyond.map((integer) => `{"id":${integer}}`),
    string({ unit: 'binary' }).map((rest) => `\u0000${rest}`),
  );
  const same = property(beyond, text, text, (integer, name, value) => {
    const plant = [integer, value, 1.5, { [name]: integer }, { [name]: value, list: [value, integer, null] }];
    t.strictSame(readJson(writeJson(plant)), plant);
  });
  assert(same);
});

t.test('readJson refuses what is not JSON', async (t) => {
  for (const text of [
    '',
    '9007199254740993n',
    '[9007199254740993',
    '"9007199254740993',
    '{9007199254740993:1}',
  ])
    t.throws(() => readJson(text), SyntaxError, text);
});
