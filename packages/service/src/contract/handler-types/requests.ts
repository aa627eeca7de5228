/**
 * The request as a handler gets it: the parameters of each part, the body, and the caller, all typed by the
 * contract.
 */

import type { IsUnion } from './value-mismatches.js';

/** All media types are JSON, because codegen refuses others. */
type ContentOf<Message> = Message extends { content: infer Content } ? Content : never;
/** The type of the body of a request or of a response. */
export type JsonContent<Message> = ContentOf<Message>[keyof ContentOf<Message>];

/** A member for one part of the request; none if the operation does not have it. */
type MemberFor<Name extends string, Value> = [Value] extends [never]
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

type BodyPart<Operation> = Operation extends { requestBody: infer RequestBody }
  ? TypedBody<ContentOf<RequestBody>>
  : Operation extends { requestBody?: infer RequestBody }
    ? [NonNullable<RequestBody>] extends [never]
      ? unknown
      : TypedBody<ContentOf<NonNullable<RequestBody>>, undefined>
    : unknown;

/** If the operation takes several media types, `mediaType` discriminates the union of its bodies. */
type TypedBody<Content, Absent = never> =
  IsUnion<keyof Content> extends true
    ?
        | {
            [Type in keyof Content]: { readonly mediaType: Type; readonly body: Content[Type] };
          }[keyof Content]
        | ([Absent] extends [never] ? never : { readonly mediaType: Absent; readonly body: Absent })
    : { readonly body: Content[keyof Content] | Absent };

/** The caller is optional if one of the alternatives asks for no scheme. */
type CallerOf<Requirements, Caller> = [Requirements] extends [readonly []]
  ? never
  : [] extends Requirements
    ? Caller | undefined
    : Caller;

/** Makes the compiler's messages show the members of an intersection. */
type Shown<Object> = Object extends infer Plain ? { [Member in keyof Plain]: Plain[Member] } : never;

/**
 * What the handler of an operation gets. A part that the operation does not have, such as `query`, is not a
 * member.
 */
export type HandlerRequest<Operation, Defaults, Requirements, Caller> = Shown<
  MemberFor<'path', Parameters<Operation, 'path'>> &
    MemberFor<'query', Given<Operation, Defaults, 'query'>> &
    MemberFor<'header', Given<Operation, Defaults, 'header'>> &
    MemberFor<'cookie', Given<Operation, Defaults, 'cookie'>> &
    BodyPart<Operation> &
    MemberFor<'caller', CallerOf<Requirements, Caller>> & {
      /** When the request arrived, in milliseconds of performance.now(). What waits for it knows its end by this. */
      readonly arrivedAt: number;
    }
>;
