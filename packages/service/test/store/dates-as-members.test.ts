import t, { type Test } from 'tap';
import { type Column, haveSameMembers, toParameter } from '../../src/store/columns/columns.js';

/** Values of time that a handler may have at hand. The generated types have texts for them. */

/** Node.js 26 has Temporal, which the types of Node.js 20 do not know. */
const temporal: Readonly<Record<string, { from(text: string): object }>> =
  Reflect.get(globalThis, 'Temporal') ?? {};

const column = (type: Column['type']): Column => ({
  name: 'planted',
  type,
  optional: false,
  fromJson: (value) => value,
});

async function isRefused(t: Test, planted: object): Promise<void> {
  const { name } = planted.constructor;
  for (const type of ['text', 'bigint', 'integer', 'double precision', 'boolean'] as const)
    t.throws(
      () => toParameter(column(type), { planted }),
      new TypeError(
        `The member planted is an object, and its column has the type ${type}: give it the text or number that the contract's format names.`,
      ),
    );
  const expected = new TypeError(
    `${name} is not a type of JSON: give the text or number that the contract's format names.`,
  );
  for (const within of [planted, [planted], { at: planted }])
    t.throws(() => toParameter(column('jsonb'), { planted: within }), expected);
  t.throws(() => haveSameMembers([column('jsonb')], { planted }, { planted: {} }), expected);
}

t.test('a Date is not stored as PostgreSQL would write it in the local time zone', (t) =>
  isRefused(t, new Date(0)),
);

t.test('a Set, a Map and an object of a class are not stored as {}', async (t) => {
  for (const value of [new Set(['a']), new Map([['a', 1]]), new URL('http://here.example')])
    await isRefused(t, value);
});

t.test(
  'a Temporal value is not stored in quotation marks, nor as {}',
  {
    skip: Object.hasOwn(globalThis, 'Temporal') ? false : 'this Node.js has no Temporal',
  },
  async (t) => {
    const texts = {
      PlainDate: '2026-11-27',
      PlainTime: '10:00:00',
      PlainDateTime: '2026-11-27T10:00:00',
      Instant: '2026-11-27T10:00:00Z',
      ZonedDateTime: '2026-11-27T10:00:00+01:00[Europe/Berlin]',
      Duration: 'PT1H',
    };
    for (const [name, text] of Object.entries(texts)) {
      const value = temporal[name]?.from(text) ?? {};
      await isRefused(t, value);
      t.equal(toParameter(column('text'), { planted: String(value) }), text, 'its text is stored');
    }
  },
);
