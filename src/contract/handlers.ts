/** Makes handlers' types from openapi-typescript's types. */

import type { Checked, Offers } from './handler-types/answers.js';
import type { HandlerRequest } from './handler-types/requests.js';

interface Contract {
  readonly operations: object;
  /** Each operation's schemes: a list, or a union of alternatives. */
  readonly security: object;
  /** Parameters with a default. */
  readonly defaults: object;
}

/** As the router calls it. */
export type AnyHandler = (request: {
  path: unknown;
  query: unknown;
  header?: unknown;
  cookie?: unknown;
  body: unknown;
  /** Set if the operation takes several. */
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
    // The router passes validated values, which have these types.
    handlers as unknown as BoundHandlers<Ids>;
}
