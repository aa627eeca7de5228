/** Makes the types of handlers from openapi-typescript's types. Handlers see no HTTP. */

import type { KeyOf, StatusesOf } from './status-types.js';

interface Contract {
  readonly operations: object;
  /** Each operation's schemes: a list, or a union of alternatives. */
  readonly security: object;
  /** Parameters with a default. */
  readonly defaults: object;
}

// ——— Requests ———

/** The start refuses media types other than JSON. */
type ContentOf<Message> = Message extends { content: infer Content } ? Content : never;
type JsonContent<Message> = ContentOf<Message>[keyof ContentOf<Message>];

/** No member if the operation lacks the part. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : { readonly [name in Name]: Value };

type Parameters<Operation, Place extends string> = Operation extends {
  parameters: { [place in Place]?: infer Values };
}
  ? NonNullable<Values>
  : never;

/** A parameter with a default is always present. */
type WithDefaults<Values, Name> = [Name] extends [never]
  ? Values
  : Shown<Omit<Values, Name & string> & Required<Pick<Values, Name & keyof Values>>>;

type Given<Operation, Defaults, Place extends string> = WithDefaults<
  Parameters<Operation, Place>,
  Defaults extends { [place in Place]: infer Name } ? Name : never
>;

/** An optional body may be undefined. */
type BodyPart<Operation> = Operation extends { requestBody: infer RequestBody }
  ? TypedBody<ContentOf<RequestBody>>
  : Operation extends { requestBody?: infer RequestBody }
    ? [NonNullable<RequestBody>] extends [never]
      ? unknown
      : TypedBody<ContentOf<NonNullable<RequestBody>>, undefined>
    : unknown;

/** If there are several media types, `mediaType` discriminates the union. */
type TypedBody<Content, Absent = never> =
  IsUnion<keyof Content> extends true
    ?
        | {
            [Type in keyof Content]: { readonly mediaType: Type; readonly body: Content[Type] };
          }[keyof Content]
        | ([Absent] extends [never] ? never : { readonly mediaType: Absent; readonly body: Absent })
    : { readonly body: Content[keyof Content] | Absent };

/** An alternative without schemes makes the caller optional. */
type CallerOf<Requirements, Caller> = [Requirements] extends [readonly []]
  ? never
  : [] extends Requirements
    ? Caller | undefined
    : Caller;

/** Flattens an intersection, so that messages show its members. */
type Shown<Object> = Object extends infer Plain ? { [Member in keyof Plain]: Plain[Member] } : never;

type HandlerRequest<Operation, Defaults, Requirements, Caller> = Shown<
  Part<'path', Parameters<Operation, 'path'>> &
    Part<'query', Given<Operation, Defaults, 'query'>> &
    Part<'header', Given<Operation, Defaults, 'header'>> &
    Part<'cookie', Given<Operation, Defaults, 'cookie'>> &
    BodyPart<Operation> &
    Part<'caller', CallerOf<Requirements, Caller>>
>;

// ——— Answers ———

/** TypeScript's `{}`. */
type Nothing = Record<never, never>;

/** Every value; in a union, `unknown` would swallow the others. */
type Anything = Nothing | null | undefined;

/** An array may also be answered in pages. */
type Whole<Value> = Value extends readonly (infer Item)[] ? Value | AsyncIterable<readonly Item[]> : Value;

/** Leaves out the index signature that openapi-typescript adds. */
type DocumentedHeaders<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] }
  : Nothing;

type Responses<Operation> = Operation extends { responses: infer All } ? All : never;

/** Editors suggest the documented answers. `AnswerFault` explains all others. */
type Offered<Operation> =
  | {
      [Key in keyof Responses<Operation>]: {
        readonly status: StatusesOf<Key>;
        readonly headers?: DocumentedHeaders<Responses<Operation>[Key]> | Anything;
        readonly body?: Whole<JsonContent<Responses<Operation>[Key]>> | Anything;
      };
    }[keyof Responses<Operation>]
  | {
      // The documented statuses keep TypeScript from widening 201 to number.
      readonly status: StatusesOf<keyof Responses<Operation>> | (number & Nothing);
      readonly headers?: Anything;
      readonly body?: Anything;
    };

type Offers<Operations, Id> = Id extends keyof Operations
  ? Offered<Operations[Id]>
  : { readonly status: number; readonly headers?: Anything; readonly body?: Anything };

/** Makes a sentence of each fault. TypeScript misses excess members outside of literals. */
type Checked<Answer, Id, Ids, Operations> = NoInfer<
  Id extends Ids & keyof Operations
    ? Unless<AnswerFault<Answer, Responses<Operations[Id]>, Id & string>>
    : `The contract has no operation "${Id & string}" here.`
>;

/** No answer is assignable to a sentence. */
type Unless<Sentence> = [Sentence] extends [never] ? unknown : Sentence;

type AnswerFault<Answer, Documented, Id extends string> = Answer extends { status: infer Status }
  ? Status extends number
    ? number extends Status
      ? `${Id}: the status must be written as a number, so that it can be checked.`
      : [KeyOf<Status, Documented>] extends [never]
        ? `${Id}: the contract does not document the status ${Status}.`
        : DocumentedFault<Answer, Documented[KeyOf<Status, Documented>], `${Id} ${Status}`>
    : never
  : never;

type DocumentedFault<Answer, Response, At extends string> =
  | HeadersFault<MemberOf<Answer, 'headers'>, DocumentedHeaders<Response>, At>
  | BodyFault<MemberOf<Answer, 'body'>, JsonContent<Response>, At>;

type MemberOf<Object, Name extends string> = Name extends keyof Object ? Object[Name] : undefined;

type HeadersFault<Given, Wanted, At extends string> = keyof Wanted extends never
  ? undefined extends Given
    ? never
    : `${At}: the contract documents no headers.`
  : undefined extends Given
    ? {
        [Name in keyof Wanted]-?: Nothing extends Pick<Wanted, Name>
          ? never
          : Missing<`${At}, headers`, Name>;
      }[keyof Wanted]
    : Fault<Given, Wanted, `${At}, headers`>;

type BodyFault<Given, Wanted, At extends string> = [Wanted] extends [never]
  ? [Given] extends [undefined]
    ? never
    : `${At}: the contract documents no body.`
  : IsAny<Given> extends true
    ? Fault<Given, Wanted, `${At}, body`>
    : undefined extends Given
      ? `${At}: the body is missing.`
      : Given extends AsyncIterable<infer Page>
        ? Wanted extends readonly unknown[]
          ? Fault<Page, Wanted, `${At}, body`>
          : `${At}, body: only an array can be answered in pages.`
        : Fault<Given, Wanted, `${At}, body`>;

// ——— Faults ———

type IsAny<Value> = 0 extends 1 & Value ? true : false;
type IsUnion<Value, Each = Value> = Each extends unknown ? ([Value] extends [Each] ? false : true) : never;
type Missing<At extends string, Name> = `${At}: the member "${Name & string}" is missing.`;

/** A sentence for each misfit, including excess members; never if `Given` fits. */
type Fault<Given, Wanted, At extends string> =
  IsAny<Given> extends true
    ? `${At}: the type "any" cannot be checked.`
    : unknown extends Given
      ? unknown extends Wanted
        ? never
        : `${At}: the type "unknown" cannot be checked.`
      : Given extends unknown
        ? FaultOfEach<Given, Wanted, At>
        : never;

/** `Given` is not a union. */
type FaultOfEach<Given, Wanted, At extends string> = unknown extends Wanted
  ? never
  : Given extends null | undefined
    ? Given extends Wanted
      ? never
      : `${At} must not be ${Given & (null | undefined)}.`
    : IsUnion<NonNullable<Wanted>> extends false
      ? FaultOfOne<Given, NonNullable<Wanted>, At>
      : true extends Fits<Given, NonNullable<Wanted>>
        ? never
        : `${At} must be one of the values that the contract allows.`;

/** Contains `true` if one member of `Wanted` fits. */
type Fits<Given, Wanted> = Wanted extends unknown
  ? [FaultOfOne<Given, Wanted, ''>] extends [never]
    ? true
    : false
  : never;

type FaultOfOne<Given, Wanted, At extends string> = Wanted extends readonly (infer WantedItem)[]
  ? Given extends readonly (infer GivenItem)[]
    ? Fault<GivenItem, WantedItem, `${At}[]`>
    : `${At} must be an array.`
  : Wanted extends object
    ? Given extends readonly unknown[] | ((...parameters: never) => unknown)
      ? `${At} must be an object.`
      : Given extends object
        ? ObjectFault<Given, Wanted, At>
        : `${At} must be an object.`
    : Given extends Wanted
      ? never
      : `${At} must be ${NameOf<Wanted>}, not ${NameOf<Given>}.`;

type ObjectFault<Given, Wanted, At extends string> =
  | {
      [Name in keyof Wanted as string extends Name ? never : Name]-?: Name extends keyof Given
        ? Nothing extends Pick<Given, Name>
          ? Nothing extends Pick<Wanted, Name>
            ? MemberFault<Given, Wanted, Name, At>
            : `${At}: the member "${Name & string}" may be missing.`
          : MemberFault<Given, Wanted, Name, At>
        : Nothing extends Pick<Wanted, Name>
          ? never
          : Missing<At, Name>;
    }[keyof { [Name in keyof Wanted as string extends Name ? never : Name]: never }]
  | {
      [Name in keyof Given]-?: Name extends keyof Wanted
        ? string extends keyof Wanted
          ? MemberFault<Given, Wanted, Name, At>
          : never
        : [ValueOf<Given, Name>] extends [never]
          ? never
          : `${At}: the contract has no member "${Name & string}".`;
    }[keyof Given];

/** Never for `name?: never`, which TypeScript adds to a literal if a sibling has that member. */
type ValueOf<Object, Name extends keyof Object> = Required<Pick<Object, Name>>[Name];

/** An optional member may be absent, but not undefined. */
type MemberFault<Given, Wanted, Name extends keyof Given & keyof Wanted, At extends string> = Fault<
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

// ——— Binding ———

/** A handler as the router calls it. */
export type AnyHandler = (request: {
  path: unknown;
  query: unknown;
  header?: unknown;
  cookie?: unknown;
  body: unknown;
  /** Set if the operation takes several media types. */
  mediaType?: string | undefined;
  caller: unknown;
}) => Promise<AnyAnswer>;

export interface AnyAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

type DefaultsOf<Defaults, Id> = Id extends keyof Defaults ? Defaults[Id] : never;

export type BoundHandlers<Ids> = { readonly [Id in Ids & string]: AnyHandler };

/** Call `implement<contract, Ids, Caller>()({ … })`, because TypeScript infers all type arguments or none. */
export function implement<Of extends Contract, Ids extends keyof Of['operations'], Caller>() {
  type Operations = Of['operations'];
  type Request<Id> = Id extends keyof Operations & keyof Of['security']
    ? HandlerRequest<Operations[Id], DefaultsOf<Of['defaults'], Id>, Of['security'][Id], Caller>
    : never;
  return <Answers extends { [Id in Ids]?: unknown } & { [Id in keyof Answers]: Offers<Operations, Id> }>(
    handlers: {
      readonly [Id in keyof Answers]: (
        request: Request<Id>,
      ) => Promise<Answers[Id] & Checked<Answers[Id], Id, Ids, Operations>>;
    } & NoInfer<{
      readonly [Id in Exclude<Ids, keyof Answers> & string]: `The operation "${Id}" has no handler.`;
    }>,
  ): BoundHandlers<Ids> =>
    // The router passes validated values, which have the types that the handler asks for.
    handlers as unknown as BoundHandlers<Ids>;
}
