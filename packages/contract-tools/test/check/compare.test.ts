/** What an answer may show in place of what was sent, and what it may not. */
import t from 'tap';
import { compare } from '../../src/check/values/compare.js';
import { readDocument } from '../../src/document/read-document.js';
import type { Value } from '../../src/values/json.js';

interface Case {
  readonly what: string;
  readonly schema: string;
  /** Left out if the member was not sent. */
  readonly sent?: Value;
  /** Left out if the answer does not have the member. */
  readonly shown?: Value;
  readonly differs: boolean;
}

const size =
  '{ type: object, properties: { unit: { type: string, default: cm }, height: { type: integer } } }';
const frame = `{ type: object, properties: { size: ${size} } }`;
const nullable = '{ type: string, nullable: true }';

const cases: readonly Case[] = [
  { what: 'a default', schema: '{ type: string, default: a }', shown: 'b', differs: false },
  { what: 'a value from nowhere', schema: '{ type: string }', shown: 'b', differs: true },
  { what: 'null for nothing', schema: nullable, shown: null, differs: false },
  { what: 'null for nothing, which may not be null', schema: '{ type: string }', shown: null, differs: true },
  { what: 'nothing for null', schema: nullable, sent: null, differs: false },
  { what: 'a text for null', schema: nullable, sent: null, shown: 'a', differs: true },
  { what: 'nothing for a text', schema: nullable, sent: 'a', differs: true },
  {
    what: 'the default of a member that was left out',
    schema: size,
    sent: {},
    shown: { unit: 'cm' },
    differs: false,
  },
  { what: 'an object of defaults', schema: size, shown: { unit: 'cm' }, differs: false },
  {
    what: 'an object of objects of defaults',
    schema: frame,
    shown: { size: { unit: 'cm' } },
    differs: false,
  },
  {
    what: 'a default beside a value from nowhere',
    schema: size,
    shown: { unit: 'cm', height: 5n },
    differs: true,
  },
  { what: 'an empty object from nowhere', schema: size, shown: {}, differs: true },
  {
    what: 'a readOnly member beside a default',
    schema:
      '{ type: object, properties: { unit: { type: string, default: cm }, area: { type: integer, readOnly: true } } }',
    shown: { unit: 'cm', area: 5n },
    differs: false,
  },
];

for (const { what, schema, sent, shown, differs } of cases) {
  t.test(`check:contract ${differs ? 'finds' : 'allows'} ${what}`, async (t) => {
    const document = readDocument(
      `{ openapi: 3.0.3, info: { title: Frames, version: '1' }, paths: {}, components: { schemas: { It: ${schema} } } }`,
      'frames.yaml',
    );
    const schemas = [document.root.at('components')?.at('schemas')?.at('It')].flatMap((node) => node ?? []);
    t.equal(schemas.length, 1);
    const compared = compare(
      { schemas, value: sent },
      { schemas, value: shown },
      { judgesUnsent: true },
      'it',
    );
    t.equal(compared.differs, differs);
  });
}
