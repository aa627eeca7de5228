/**
 * From openapi-typescript's types to the types of handlers. A handler is a function from what the YAML
 * says about a request to one of the answers that the YAML documents; it sees nothing of HTTP.
 */

type JsonContent<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : never;

/** A part of a request under its name, or nothing where the operation does not have that part. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : { readonly [name in Name]: Value };

type Parameters<Operation, Place extends string> = Operation extends {
  parameters: { [place in Place]?: infer Values };
}
  ? NonNullable<Values>
  : never;

type Body<Operation> = Operation extends { requestBody?: infer RequestBody }
  ? JsonContent<NonNullable<RequestBody>>
  : never;

/** What a handler gets: the parts of the request that the YAML names, and the caller where it asks for one. */
type HandlerRequest<Operation, Schemes extends readonly string[], Caller> = Part<
  'path',
  Parameters<Operation, 'path'>
> &
  Part<'query', Parameters<Operation, 'query'>> &
  Part<'body', Body<Operation>> &
  Part<'caller', Schemes extends readonly [] ? never : Caller>;

/** An array may be answered whole, or in pages of a list of unknown length. */
type Whole<Value> = Value extends readonly (infer Item)[] ? Value | AsyncIterable<readonly Item[]> : Value;

/** openapi-typescript adds an index signature for the headers that the YAML does not name. */
type DocumentedHeaders<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] }
  : never;

type Answer<Status, Response> = { readonly status: Status } & Part<'body', Whole<JsonContent<Response>>> &
  (keyof DocumentedHeaders<Response> extends never
    ? unknown
    : { readonly headers: DocumentedHeaders<Response> });

/** What a handler may answer: one type for each documented status, with its headers and its body. */
type HandlerAnswer<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in keyof Responses]: Answer<Status, Responses[Status]> }[keyof Responses]
  : never;

/** One handler for each operation of a contract: `operations` and `security` of its generated types. */
export type Handlers<Operations, Security extends { [Id in keyof Operations]: readonly string[] }, Caller> = {
  readonly [Id in keyof Operations]: (
    request: HandlerRequest<Operations[Id], Security[Id], Caller>,
  ) => Promise<HandlerAnswer<Operations[Id]>>;
};

/** A handler as the router sees it, its types already checked. */
export type AnyHandler = (request: {
  path: unknown;
  query: unknown;
  body: unknown;
  caller: unknown;
}) => Promise<AnyAnswer>;

export interface AnyAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}
