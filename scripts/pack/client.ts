/**
 * The client of the contract's npm package. pack/files.ts compiles this file, puts the routes of the document
 * at its end, and packs it. It imports only types and json.ts, so that the package has no dependencies.
 */
import type { operations } from '../../generated/plants.js';
import { readJson, writeJson } from './json.js';

export type { components, operations, paths } from '../../generated/plants.js';
export { readJson, writeJson } from './json.js';

/** The service's address, and the caller's token. */
export interface ClientOptions {
  /** The address, such as `https://plants.example`, with or without a slash at the end. */
  readonly url: string;
  /** An access token, or a function that returns one for each request. */
  readonly token: string | (() => string | Promise<string>);
  /** Replaces the global `fetch`, for example by one with a timeout. */
  readonly fetch?: typeof globalThis.fetch;
}

type Parts<Operation> = (Operation extends { parameters: { path: infer Path } } ? { path: Path } : unknown) &
  (Operation extends { parameters: { query?: infer Query } }
    ? [NonNullable<Query>] extends [never]
      ? unknown
      : { query?: Query }
    : unknown) &
  (Operation extends { requestBody: { content: infer Content } } ? { body: Json<Content> } : unknown);

type Body<Response> = Response extends { content: infer Content } ? Json<Content> : undefined;

/** If there are several media types, the client sends application/json. */
type Json<Content> = Content extends { 'application/json': infer Value } ? Value : Content[keyof Content];

/** The parts of a request in the document: `path`, `query` and `body`. */
export type RequestOf<Id extends keyof operations> = Parts<operations[Id]>;

/** One of the documented answers: compare `status`, and TypeScript knows the `body`. */
export type AnswerOf<Id extends keyof operations> = {
  [Status in keyof operations[Id]['responses']]: {
    /** The type of a range such as `4XX`, and of `default`, is `number`. */
    readonly status: Status extends number ? Status : number;
    readonly headers: Headers;
    readonly body: Body<operations[Id]['responses'][Status]>;
  };
}[keyof operations[Id]['responses']];

/** One method for each operation, named after its operationId. */
export type Client = {
  readonly [Id in keyof operations]: (
    ...request: Record<never, never> extends RequestOf<Id> ? [RequestOf<Id>?] : [RequestOf<Id>]
  ) => Promise<AnswerOf<Id>>;
};

interface Route {
  readonly method: string;
  readonly path: string;
  /** The media type of the body, if it is not application/json. */
  readonly mediaType?: string;
  /** The shapes of the bodies, by the statuses as the document names them: `200`, `4XX`, `default`. */
  readonly answers: Readonly<Record<string, number | null>>;
}

/** What the document says of the numbers in a value (pack/shapes.ts). */
interface Shape {
  readonly number?: 'bigint' | 'double';
  readonly also?: readonly number[];
  readonly members?: Readonly<Record<string, number>>;
  readonly others?: number;
  readonly items?: number;
}

/** The keys are operationIds. pack/files.ts writes them from the document to the end of this file. */
declare const routes: Readonly<Record<string, Route>>;
/** The shapes of the answers, which name each other by their indexes. They, too, stand at the end. */
declare const shapes: readonly Shape[];

/**
 * Makes a client with a method for each operation. An int64 is a bigint, and is sent and read with every
 * digit. A method rejects with an Error if the status is not documented, and with what `fetch` throws if there is no
 * answer.
 */
export function createClient(options: ClientOptions): Client {
  const methods = Object.entries(routes).map(([id, route]) => [
    id,
    (request: Request = {}) => call(options, id, route, request),
  ]);
  // The routes and the types come from the same document.
  return Object.fromEntries(methods) as Client;
}

interface Request {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

async function call(
  { url, token, fetch = globalThis.fetch }: ClientOptions,
  id: string,
  { method, path, mediaType = 'application/json', answers }: Route,
  { path: inPath = {}, query = {}, body }: Request,
) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(inPath[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const authorization = `Bearer ${typeof token === 'string' ? token : await token()}`;
  const response = await fetch(url.replace(/\/$/, '') + filled + (search && `?${search}`), {
    method,
    headers: { authorization, ...(body !== undefined && { 'content-type': mediaType }) },
    ...(body !== undefined && { body: writeJson(body) }),
  });
  const { status, headers } = response;
  const text = await response.text();
  // A proxy's 502 is not documented, for example.
  const key = [`${status}`, `${Math.floor(status / 100)}XX`, 'default'].find((one) => one in answers);
  if (key === undefined) throw new Error(`${id} answered ${status}, which is not documented: ${text}`);
  const shape = answers[key] ?? undefined;
  return { status, headers, body: text === '' ? undefined : asDocumented(readJson(text), [shape]) };
}

/**
 * Makes each number what its type says: a bigint for an int64, a number for any other. What the document does
 * not describe stays as `readJson` has read it.
 *
 * @param indexes those of the shapes of this value
 */
function asDocumented(value: unknown, indexes: readonly (number | undefined)[]): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  const found = shapesAt(indexes);
  if (typeof value !== 'object') return numberOf(value, found);
  if (Array.isArray(value)) {
    const items = found.map((shape) => shape.items);
    return value.map((item) => asDocumented(item, items));
  }
  const members = Object.entries(value as object).map(([name, member]) => [
    name,
    asDocumented(
      member,
      found.map(({ members = {}, others }) => (Object.hasOwn(members, name) ? members[name] : others)),
    ),
  ]);
  return Object.fromEntries(members);
}

/** The shapes with all that are about the same value. */
function shapesAt(indexes: readonly (number | undefined)[]): readonly Shape[] {
  const seen = new Set(indexes);
  // What is added to a set while it is iterated is iterated, too.
  for (const index of seen) for (const one of shapes[index ?? -1]?.also ?? []) seen.add(one);
  return [...seen].flatMap((index) => shapes[index ?? -1] ?? []);
}

function numberOf(value: unknown, found: readonly Shape[]): unknown {
  if (typeof value === 'number')
    return found.some(({ number }) => number === 'bigint') && Number.isInteger(value) ? BigInt(value) : value;
  const isDouble = found.some(({ number }) => number === 'double');
  return isDouble && found.every(({ number }) => number !== 'bigint') ? Number(value) : value;
}
