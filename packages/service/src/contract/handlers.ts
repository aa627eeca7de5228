/**
 * Makes the types of handlers from the types that openapi-typescript has written into generated/. A handler
 * that misses an operation, answers an undocumented status, or sends a wrong body does not compile, and the
 * error is a sentence.
 */

import type { Checked, Offers } from './handler-types/answers.js';
import type { HandlerRequest } from './handler-types/requests.js';

interface Contract {
  readonly operations: object;
  /**
   * The security schemes that each operation asks for, by its operationId: a list, or a union of alternative
   * lists.
   */
  readonly security: object;
  /** The parameters of each operation that have a default, and so are never absent. */
  readonly defaults: object;
}

/** A handler as route.ts calls it, whose types are checked already. */
export type AnyHandler = (request: {
  path: unknown;
  query: unknown;
  header: unknown;
  cookie: unknown;
  body: unknown;
  /** The media type of the body. Undefined unless the operation takes several. */
  mediaType: string | undefined;
  caller: unknown;
  /** When the request arrived, in milliseconds of performance.now(). */
  arrivedAt: number;
}) => Promise<AnyAnswer>;

/** What a handler answers, whose types are checked already. The body may be pages: an iterable of lists. */
export interface AnyAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

type DefaultsOf<Defaults, Id> = Id extends keyof Defaults ? Defaults[Id] : never;

/** The handlers of the operations `Ids`, for the router. */
export type BoundHandlers<Ids> = { readonly [Id in Ids & string]: AnyHandler };

/**
 * Checks the handlers of the operations `Ids`, and returns them as they are. Call `implement<contract, Ids,
 * Caller>()({ … })`: the first call names the types, and the second one has the handlers, because TypeScript
 * infers all type arguments or none.
 */
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
    // The router passes validated values, which have these types.
    handlers as unknown as BoundHandlers<Ids>;
}
