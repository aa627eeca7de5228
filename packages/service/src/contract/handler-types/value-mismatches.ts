/**
 * Explains in sentences how the type of a value differs from the one that the contract asks for.
 *
 * TypeScript's own message for a wrong answer is a page of generated types, and excess members are an error
 * only in a literal. So these types look for the differences themselves. `Mismatch<Given, Wanted, At>` is
 * `never` if the value fits, and otherwise a text that says where the fault is (`At`) and what must hold.
 * answers.ts makes that text a part of the type that the handler must return. No value has this type, so the
 * compiler shows the text.
 *
 * 1. `any` and `unknown` are refused, because nobody could check them.
 * 2. If the value may be of several types, each of them must fit (`MismatchOfEach`).
 * 3. If the contract allows several types, one of them must fit (`Fits`).
 * 4. Arrays are compared by their items, objects by their members, and anything else by assignability.
 *
 * For example, a handler of `createPlant` answers 200 with `{ name: 5 }`. Its body is a `Mismatch` at
 * "createPlant 200, body", and the compiler says "createPlant 200, body.name must be a string, not a number."
 *
 * The cost: these types take the compiler some time, and a reader, too.
 */

/** What TypeScript calls `{}`. */
export type Nothing = Record<never, never>;

export type IsAny<Value> = 0 extends 1 & Value ? true : false;
export type IsUnion<Value, Each = Value> = Each extends unknown
  ? [Value] extends [Each]
    ? false
    : true
  : never;
export type Missing<At extends string, Name> = `${At}: the member "${Name & string}" is missing.`;

/** A sentence for each violation, including excess members. */
export type Mismatch<Given, Wanted, At extends string> =
  IsAny<Given> extends true
    ? `${At}: the type "any" cannot be checked.`
    : unknown extends Given
      ? unknown extends Wanted
        ? never
        : `${At}: the type "unknown" cannot be checked.`
      : Given extends unknown
        ? MismatchOfEach<Given, Wanted, At>
        : never;

/** The mismatch of one member of the union that was given. */
type MismatchOfEach<Given, Wanted, At extends string> = unknown extends Wanted
  ? never
  : Given extends null | undefined
    ? Given extends Wanted
      ? never
      : `${At} must not be ${Given & (null | undefined)}.`
    : IsUnion<NonNullable<Wanted>> extends false
      ? MismatchOfOne<Given, NonNullable<Wanted>, At>
      : true extends Fits<Given, NonNullable<Wanted>>
        ? never
        : `${At} must be one of the values that the contract allows.`;

/** Contains `true` if one member of `Wanted` fits. */
type Fits<Given, Wanted> = Wanted extends unknown
  ? [MismatchOfOne<Given, Wanted, ''>] extends [never]
    ? true
    : false
  : never;

type MismatchOfOne<Given, Wanted, At extends string> = Wanted extends readonly (infer WantedItem)[]
  ? Given extends readonly (infer GivenItem)[]
    ? Mismatch<GivenItem, WantedItem, `${At}[]`>
    : `${At} must be an array.`
  : Wanted extends object
    ? Given extends readonly unknown[] | ((...parameters: never) => unknown)
      ? `${At} must be an object.`
      : Given extends object
        ? ObjectMismatch<Given, Wanted, At>
        : `${At} must be an object.`
    : Given extends Wanted
      ? never
      : `${At} must be ${NameOf<Wanted>}, not ${NameOf<Given>}.`;

/** The faults of an object's members. `string extends Name` is true of an index signature only. */
type ObjectMismatch<Given, Wanted, At extends string> =
  | {
      [Name in keyof Wanted as string extends Name ? never : Name]-?: Name extends keyof Given
        ? Nothing extends Pick<Given, Name>
          ? Nothing extends Pick<Wanted, Name>
            ? MemberMismatch<Given, Wanted, Name, At>
            : `${At}: the member "${Name & string}" may be missing.`
          : MemberMismatch<Given, Wanted, Name, At>
        : Nothing extends Pick<Wanted, Name>
          ? never
          : Missing<At, Name>;
    }[keyof { [Name in keyof Wanted as string extends Name ? never : Name]: never }]
  | {
      [Name in keyof Given]-?: Name extends keyof Wanted
        ? string extends keyof Wanted
          ? MemberMismatch<Given, Wanted, Name, At>
          : never
        : [ValueOf<Given, Name>] extends [never]
          ? never
          : `${At}: the contract has no member "${Name & string}".`;
    }[keyof Given];

/** Never for `name?: never`, which TypeScript adds to a literal if a sibling has that member. */
type ValueOf<Object, Name extends keyof Object> = Required<Pick<Object, Name>>[Name];

/** An optional member may be absent, but not undefined. */
type MemberMismatch<Given, Wanted, Name extends keyof Given & keyof Wanted, At extends string> = Mismatch<
  ValueOf<Given, Name>,
  ValueOf<Wanted, Name>,
  `${At}.${Name & string}`
>;

type NameOf<Value> = [Value] extends [bigint]
  ? 'a bigint'
  : [Value] extends [number]
    ? 'a number'
    : [Value] extends [string]
      ? string extends Value
        ? 'a string'
        : `"${Value}"`
      : [Value] extends [boolean]
        ? 'a boolean'
        : 'an object';
