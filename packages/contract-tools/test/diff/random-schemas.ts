/** Random schemas of all keywords that diff:contract compares, and random edits of them. */
import fc from 'fast-check';
import type { ContractSchema } from '../../../service/layer.js';

type Keywords = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Schemas with some of these keywords, and always those that are `required`. */
function schemaWith(keywords: Keywords, required = ['type']): fc.Arbitrary<ContractSchema> {
  return fc.record(keywords, { requiredKeys: required });
}

const memberNames = ['a', 'b', 'c'];
const nullable = fc.boolean();
const between = (min: number, max: number) => fc.integer({ min, max });
const listOf = (items: fc.Arbitrary<ContractSchema>, minLength = 1) =>
  fc.array(items, { minLength, maxLength: 3 });

const text = schemaWith({
  type: fc.constant('string'),
  nullable,
  minLength: between(0, 2),
  maxLength: between(0, 3),
  pattern: fc.constantFrom('', '^a', 'b$'),
  format: fc.constantFrom('date', 'uuid'),
});

const word = schemaWith({
  type: fc.constant('string'),
  nullable,
  minLength: between(0, 2),
  enum: fc.subarray(['a', 'b', 'ab', null], { minLength: 1 }),
});

const integer = schemaWith(
  {
    type: fc.constant('integer'),
    format: fc.constantFrom('int32', 'int64'),
    nullable,
    minimum: between(-2, 3),
    maximum: between(-2, 3),
    exclusiveMinimum: fc.boolean(),
    exclusiveMaximum: fc.boolean(),
    multipleOf: between(1, 3),
    enum: fc.subarray([0, 1, 2, null], { minLength: 1 }),
  },
  ['type', 'format'],
);

const number = schemaWith({
  type: fc.constant('number'),
  format: fc.constantFrom('float', 'double'),
  nullable,
  minimum: fc.constantFrom(-1, 0, 0.5, 1),
  maximum: fc.constantFrom(0, 0.5, 1, 2),
  exclusiveMinimum: fc.boolean(),
  exclusiveMaximum: fc.boolean(),
});

const leaf = fc.oneof(
  text,
  word,
  integer,
  { arbitrary: number, weight: 2 },
  fc.constant<ContractSchema>({ type: 'boolean' }),
);

/** An object that says of which kind it is, as the alternatives of most documents do. */
const ofKind = schemaWith(
  {
    type: fc.constant('object'),
    required: fc.constant(['a']),
    properties: schemaWith(
      {
        a: schemaWith(
          {
            type: fc.constant('string'),
            enum: fc.constantFrom(['a'], ['b'], ['ab'], ['a', 'b']),
          },
          ['type', 'enum'],
        ),
        b: leaf,
      },
      ['a'],
    ),
  },
  ['type', 'required', 'properties'],
);

const required = fc.subarray(memberNames, { minLength: 1 });
const needy = schemaWith({ type: fc.constant('object'), required }, ['type', 'required']);

/** Only beside or below a type, because the layer refuses keywords without one. */
const untyped = schemaWith({ required }, ['required']);

const { schema } = fc.letrec<{ schema: ContractSchema; object: ContractSchema }>((tie) => {
  const array = schemaWith(
    {
      type: fc.constant('array'),
      nullable,
      items: tie('schema'),
      minItems: between(0, 2),
      maxItems: between(0, 3),
      uniqueItems: fc.boolean(),
    },
    ['type', 'items'],
  );
  const combinationsOf = (one: fc.Arbitrary<ContractSchema>, ...lists: fc.Arbitrary<ContractSchema[]>[]) => {
    const choice = fc.oneof(listOf(one), listOf(needy), listOf(ofKind, 2), ...lists);
    return {
      allOf: fc.oneof(listOf(one), listOf(schemaWith({ not: one }, ['not']))),
      oneOf: choice,
      anyOf: choice,
      not: one,
    };
  };
  const combinations = Object.entries(combinationsOf(tie('schema')));
  const inObject = Object.entries(combinationsOf(tie('object'), listOf(untyped)));
  return {
    schema: fc.oneof(
      { maxDepth: 2 },
      leaf,
      {
        arbitrary: fc.tuple(tie('object'), nullable).map(([object, nullable]) => ({ ...object, nullable })),
        weight: 2,
      },
      array,
      ...combinations.map(([name, one]) => schemaWith({ [name]: one }, [name])),
      fc
        .tuple(tie('object'), fc.oneof(...inObject.map(([name, one]) => schemaWith({ [name]: one }, [name]))))
        .map(([object, combination]) => ({ ...object, ...combination })),
      fc.constant<ContractSchema>({}),
    ),
    object: schemaWith({
      type: fc.constant('object'),
      required: fc.subarray([...memberNames, 'd'], { minLength: 1 }),
      properties: fc.dictionary(fc.constantFrom(...memberNames), tie('schema'), { maxKeys: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      minProperties: between(0, 2),
      maxProperties: between(1, 4),
    }),
  };
});

interface Edit {
  readonly kind: keyof typeof edits;
  /** Selects the schema, among those inside, which it changes. */
  readonly spot: number;
  /** Selects a keyword or an alternative of this schema. */
  readonly part: number;
  readonly other: ContractSchema;
}

const edits = {
  'set a keyword': (schema, { part, other }) => {
    const [keyword, value] = chosen(Object.entries(other), part) ?? ['description', 'A schema.'];
    return { ...schema, [keyword]: value };
  },
  'remove a keyword': (schema, { part }) => {
    const keywords = Object.entries(schema);
    return Object.fromEntries(keywords.filter((keyword) => keyword !== chosen(keywords, part)));
  },
  'add an alternative': (schema, { part, other }) => ({
    ...schema,
    ...inList(schema, part, (list) => [...list, other]),
  }),
  'remove an alternative': (schema, { part }) => ({
    ...schema,
    ...inList(schema, part, (list) => list.filter((_, index) => index !== part % list.length)),
  }),
  'make it an alternative': (schema, { part, other }) => ({
    [chosen(['oneOf', 'anyOf', 'allOf'], part) ?? 'oneOf']: [schema, other],
  }),
  'forbid something': (schema, { other }) => ({ allOf: [schema, { not: other }] }),
  replace: (_, { other }) => other,
} satisfies Record<string, (schema: ContractSchema, edit: Edit) => ContractSchema>;

const edit: fc.Arbitrary<Edit> = fc.record({
  // The keys of an object literal are all that it has.
  kind: fc.constantFrom(...(Object.keys(edits) as (keyof typeof edits)[])),
  spot: fc.nat(1000),
  part: fc.nat(1000),
  other: schema,
});

/** An old schema, and what one or two edits made of it. */
export const schemaPair = fc
  .tuple(schema, fc.array(edit, { minLength: 1, maxLength: 2 }))
  .map(([base, edits]) => ({ base, next: edits.reduce(edited, base) }));

/** The same schema as it could be written, too. */
export const rewrittenPair = schema.map((base) => ({ base, next: rewritten(base) }));

function edited(schema: ContractSchema, edit: Edit): ContractSchema {
  let count = 0;
  const counted = (inner: ContractSchema): ContractSchema => {
    count += 1;
    return withinEach(inner, counted);
  };
  counted(schema);
  let left = edit.spot % count;
  const changed = (inner: ContractSchema): ContractSchema => {
    left -= 1;
    return left === -1 ? edits[edit.kind](inner, edit) : withinEach(inner, changed);
  };
  return changed(schema);
}

/** Reverses lists whose order means nothing, and writes each schema as an `allOf` of one. */
function rewritten(schema: ContractSchema): ContractSchema {
  const inner = withinEach(schema, rewritten);
  const reversed = Object.entries(inner)
    .reverse()
    .map(([keyword, value]) => [keyword, Array.isArray(value) ? value.toReversed() : value]);
  return { description: 'A schema.', allOf: [Object.fromEntries(reversed)] };
}

const lists = ['allOf', 'oneOf', 'anyOf'] as const;

/** The schema with all schemas directly inside it changed. */
function withinEach(
  schema: ContractSchema,
  change: (inner: ContractSchema) => ContractSchema,
): ContractSchema {
  const { properties, items, additionalProperties, not } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, change(member)]),
      ),
    }),
    ...(items && { items: change(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
    ...(not && { not: change(not) }),
    ...Object.fromEntries(lists.flatMap((name) => (schema[name] ? [[name, schema[name].map(change)]] : []))),
  };
}

function inList(
  schema: ContractSchema,
  part: number,
  change: (list: readonly ContractSchema[]) => readonly ContractSchema[],
): ContractSchema {
  const name = chosen(
    lists.filter((list) => (schema[list]?.length ?? 0) > 1),
    part,
  );
  return name === undefined ? schema : { [name]: change(schema[name] ?? []) };
}

function chosen<Item>(items: readonly Item[], part: number): Item | undefined {
  return items[part % items.length];
}
