import fc from 'fast-check';
import t from 'tap';
import type { JsonValue } from '../../../exact-json/index.js';
import type { ContractSchema } from '../../../service/layer.js';
import {
  changesIn,
  type Direction,
  isBreaking,
  judgesOf,
  provesBreak,
  type SchemaPair,
  witnessOf,
} from './broken-consumer.js';
import { missesNoBreak } from './missed-breaks.js';
import { rewrittenPair } from './random-schemas.js';

const text: ContractSchema = { type: 'string' };
const integer: ContractSchema = { type: 'integer', format: 'int64' };
const needs = (...required: string[]): ContractSchema => ({ type: 'object', required });
const kind = (name: string, more: ContractSchema = {}): ContractSchema => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { type: 'string', enum: [name] }, ...more.properties },
});
const closed = (name: string, member: ContractSchema): ContractSchema => ({
  ...needs(name),
  properties: { [name]: member },
  additionalProperties: false,
});
const short: ContractSchema = { type: 'string', maxLength: 3 };
const long: ContractSchema = { type: 'string', maxLength: 5 };

interface Break extends SchemaPair {
  readonly name: string;
  readonly direction: Direction;
  /** A value that proves the break. */
  readonly value: JsonValue;
}

const breaks: readonly Break[] = [
  {
    name: 'an alternative that fits the values of others is added to a oneOf',
    direction: 'request',
    base: { oneOf: [needs('a'), needs('b')] },
    next: { oneOf: [needs('a'), needs('b'), { type: 'object' }] },
    value: { a: 1n },
  },
  {
    name: 'an alternative of a oneOf grows into another',
    direction: 'request',
    base: { oneOf: [needs('a'), needs('b')] },
    next: { oneOf: [needs('a'), { type: 'object' }] },
    value: { a: 1n },
  },
  {
    name: 'an alternative of a oneOf no longer excludes the values of another',
    direction: 'response',
    base: { oneOf: [needs('a'), needs('b')] },
    next: { oneOf: [needs('a'), needs('b', 'c')] },
    value: { a: 1n, b: 1n },
  },
  {
    name: 'an alternative that overlaps is removed from a oneOf',
    direction: 'response',
    base: { oneOf: [needs('a'), needs('b'), needs('c')] },
    next: { oneOf: [needs('a'), needs('b')] },
    value: { a: 1n, c: 1n },
  },
  {
    name: 'an overlapping alternative is the only one that is left of a oneOf',
    direction: 'response',
    base: { oneOf: [needs('a'), needs('b')] },
    next: needs('a'),
    value: { a: 1n, b: 1n },
  },
  {
    name: 'a schema becomes one of two alternatives that overlap',
    direction: 'request',
    base: text,
    next: { oneOf: [text, short] },
    value: 'a',
  },
  {
    name: 'a second not is added',
    direction: 'request',
    base: { allOf: [text, { not: { type: 'string', enum: ['a'] } }] },
    next: {
      allOf: [text, { not: { type: 'string', enum: ['a'] } }, { not: { type: 'string', enum: ['b'] } }],
    },
    value: 'b',
  },
  {
    name: 'the second of two nots forbids less',
    direction: 'response',
    base: {
      allOf: [text, { not: { type: 'string', enum: ['a'] } }, { not: { type: 'string', enum: ['b', 'c'] } }],
    },
    next: {
      allOf: [text, { not: { type: 'string', enum: ['a'] } }, { not: { type: 'string', enum: ['b'] } }],
    },
    value: 'c',
  },
  {
    name: 'a schema becomes one alternative of two, and is restricted beside them',
    direction: 'request',
    base: needs('a'),
    next: { anyOf: [needs('a'), needs('b')], type: 'object', minProperties: 2 },
    value: { a: 1n },
  },
  {
    name: 'the second of two choices allows less',
    direction: 'request',
    base: { allOf: [{ anyOf: [needs('a'), needs('b')] }, { anyOf: [needs('a'), needs('c')] }] },
    next: { allOf: [{ anyOf: [needs('a'), needs('b')] }, { anyOf: [needs('a', 'b'), needs('c')] }] },
    value: { a: 1n },
  },
  {
    name: 'a second choice is added beside the first',
    direction: 'request',
    base: { allOf: [{ anyOf: [needs('a'), needs('b')] }] },
    next: { allOf: [{ anyOf: [needs('a'), needs('b')] }, { anyOf: [needs('c'), needs('d')] }] },
    value: { a: 1n },
  },
  {
    name: 'null is all that was allowed before, and a choice excludes it',
    direction: 'request',
    base: {
      allOf: [
        { ...text, nullable: true },
        { type: 'boolean', nullable: true },
      ],
    },
    next: { allOf: [{ ...text, nullable: true }, { anyOf: [text, { type: 'boolean' }] }] },
    value: null,
  },
  {
    name: 'an alternative restricts a member that only another one named',
    direction: 'request',
    base: { anyOf: [needs('a'), { ...needs('b', 'c'), properties: { b: text } }] },
    next: {
      anyOf: [
        { ...needs('a'), properties: { b: integer } },
        { ...needs('b', 'c'), properties: { b: text } },
      ],
    },
    value: { a: 1n, b: 'x' },
  },
  {
    name: 'a required member gets a schema and becomes optional',
    direction: 'response',
    base: needs('a'),
    next: { type: 'object', properties: { a: text } },
    value: {},
  },
];

t.test('diff:contract finds the break', async (t) => {
  for (const { name, direction, value, ...pair } of breaks) {
    t.test(`diff:contract calls it breaking in a ${direction} if ${name}`, async (t) => {
      const judges = judgesOf(pair);
      t.ok(judges && provesBreak(value, pair, direction, judges), 'the value proves the break');
      t.ok(isBreaking(pair, direction), 'diff:contract says so', { changes: changesIn(pair, direction) });
    });
  }
});

interface Compatible extends SchemaPair {
  readonly name: string;
  readonly directions: readonly Direction[];
}

const compatible: readonly Compatible[] = [
  {
    name: 'a kind that an enum tells apart is added to a oneOf',
    directions: ['request'],
    base: { oneOf: [kind('a'), kind('b')] },
    next: { oneOf: [kind('a'), kind('b'), kind('c')] },
  },
  {
    name: 'a kind that an enum tells apart is removed from a oneOf',
    directions: ['response'],
    base: { oneOf: [kind('a'), kind('b'), kind('c')] },
    next: { oneOf: [kind('a'), kind('b')] },
  },
  {
    name: 'a schema becomes one of two kinds that an enum tells apart',
    directions: ['request'],
    base: kind('a'),
    next: { oneOf: [kind('a'), kind('b')] },
  },
  {
    name: 'a kind that an enum tells apart gets a further member',
    directions: ['request', 'response'],
    base: { oneOf: [kind('a'), kind('b')] },
    next: { oneOf: [kind('a'), kind('b', { properties: { note: text } })] },
  },
  {
    name: 'one of two types allows more',
    directions: ['request'],
    base: { oneOf: [short, integer] },
    next: { oneOf: [long, integer] },
  },
  {
    name: 'one of two types allows less',
    directions: ['response'],
    base: { oneOf: [long, integer] },
    next: { oneOf: [short, integer] },
  },
  {
    name: 'one of two objects that forbid the members of each other allows more',
    directions: ['request'],
    base: { oneOf: [closed('a', short), closed('b', short)] },
    next: { oneOf: [closed('a', long), closed('b', short)] },
  },
  {
    name: 'an exclusive alternative changes beside two that overlap',
    directions: ['request'],
    base: { oneOf: [needs('a'), needs('b'), short] },
    next: { oneOf: [needs('a'), needs('b'), long] },
  },
  {
    name: 'one of the kinds within a kind allows more',
    directions: ['request'],
    base: { oneOf: [{ oneOf: [kind('a'), kind('b')] }, kind('c')] },
    next: { oneOf: [{ oneOf: [kind('a'), kind('b')] }, kind('c', { properties: { note: text } })] },
  },
  {
    name: 'an alternative of an anyOf allows more',
    directions: ['request'],
    base: { anyOf: [needs('a', 'c'), needs('b')] },
    next: { anyOf: [needs('a'), needs('b')] },
  },
  {
    name: 'an empty pattern is added or removed',
    directions: ['request', 'response'],
    base: text,
    next: { ...text, pattern: '' },
  },
  {
    name: 'one of several nots is removed',
    directions: ['request'],
    base: {
      allOf: [text, { not: { type: 'string', enum: ['a'] } }, { not: { type: 'string', enum: ['b'] } }],
    },
    next: { allOf: [text, { not: { type: 'string', enum: ['b'] } }] },
  },
];

t.test('diff:contract gives no false alarm', async (t) => {
  for (const { name, directions, ...pair } of compatible) {
    for (const direction of directions) {
      t.test(`diff:contract calls it compatible in a ${direction} if ${name}`, async (t) => {
        t.equal(witnessOf(pair, direction, { seed: 1, count: 200 }), undefined, 'no value proves a break');
        t.notOk(isBreaking(pair, direction), 'diff:contract says so', {
          changes: changesIn(pair, direction),
        });
      });
    }
  }
});

// The same pairs in each run, so that nobody's push meets the faults of others; the `.minutes` test tries new ones.
t.test('diff:contract misses no break between random schemas', async () => {
  fc.assert(missesNoBreak, { seed: 1, numRuns: 500 });
});

t.test('diff:contract sees no change if a schema is only written in another way', async (t) => {
  fc.assert(
    fc.property(rewrittenPair, (pair) => {
      for (const direction of ['request', 'response'] as const) {
        const changes = changesIn(pair, direction).filter(
          ({ sentence }) => !sentence.includes('description'),
        );
        t.strictSame(changes, []);
      }
    }),
    { seed: 1, numRuns: 100 },
  );
});
