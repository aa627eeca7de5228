/**
 * A small server of a document, for tests of the checker. Unlike answering-server.ts, it refuses what does not fit the
 * document, and a test says how it answers the rest.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Scope } from '../../src/base/scope.js';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import type { SchemeToken } from '../../src/check/document/accounts.js';
import { describe } from '../../src/check/document/description.js';
import type { Rules } from '../../src/check/document/rules.js';
import { readText } from '../../src/check/values/parameter-text.js';
import { withoutParameters } from '../../src/document/media-types.js';
import type { Operation } from '../../src/document/operations.js';
import { readDocument } from '../../src/document/read-document.js';
import { isObject, readJson, type Value, writeJson } from '../../src/values/json.js';
import { violationsOf } from '../../src/values/schema.js';

/** A request that fits the document. */
interface Asked {
  /** The last parameter of the path. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Value;
  /** The token of the caller; empty if the document has no credentials. */
  readonly caller: string;
}

export interface Answered {
  readonly status: number;
  readonly body?: Value;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Served {
  readonly yaml: string;
  /** The rules that are on. */
  readonly rules: readonly string[];
  /** How each operation is answered, by its `operationId`. */
  readonly answers: Readonly<Record<string, (asked: Asked) => Answered>>;
  /** Headers of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether any text in a path is taken. */
  readonly takesAnyPath?: boolean;
  /** Answers before anything else is looked at. */
  readonly first?: ((request: IncomingMessage) => Answered | undefined) | undefined;
  /** How many requests of an operation are generated; by default 2. */
  readonly cases?: number | undefined;
  /** What the user has chosen, such as the operations of `--send`. */
  readonly choices?: Partial<Rules> | undefined;
  /** Credentials beside the tokens of both owners. */
  readonly schemeTokens?: readonly SchemeToken[] | undefined;
  /** The path of the server's address, under which operations without servers of their own are; by default none. */
  readonly basePath?: string | undefined;
}

/** The tokens of both owners. */
export const owners = { first: 'first-owner-0123', second: 'second-owner-0123' } as const;

/** @returns what was found, as `operation: rule`, the operations that never answered a success, all notes, and what came */
export async function checkServer(scope: Scope, served: Served) {
  const document = readDocument(served.yaml, 'small.yaml');
  const { operations } = describe(document);
  const answered = new Map<string, Set<number>>();
  const server = createServer((request, response) => {
    answer(request, operations, served).then(
      ({ status, body, headers = {}, operation }) => {
        if (operation !== undefined)
          answered.set(operation.id, (answered.get(operation.id) ?? new Set()).add(status));
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
        response.writeHead(status, { ...type, ...challenge, ...headers, ...served.headers });
        response.end(body === undefined ? undefined : writeJson(body));
      },
      (error: unknown) => response.writeHead(599).end(String(error)),
    );
  });
  const url = new URL(`${served.basePath ?? ''}/`, await serveIn(scope, server));
  const isSecured = operations.some(({ secured }) => secured);
  const report = await check({
    ...{ document, url, seed: 1, cases: served.cases ?? 2 },
    rules: { on: new Set(served.rules), file: undefined, ...served.choices },
    ...(isSecured && {
      token: { text: owners.first, shell: '$FIRST' },
      otherToken: { text: owners.second, shell: '$SECOND' },
      schemeTokens: served.schemeTokens,
    }),
  });
  const found = report.findings.map(({ operation, rule }) => `${operation}: ${rule}`);
  return { found, unreached: report.unreached, notes: report.notes.join('\n'), answered, report };
}

async function answer(
  request: IncomingMessage,
  operations: readonly Operation[],
  { answers, first, takesAnyPath = false, basePath = '' }: Served,
): Promise<Answered & { readonly operation?: Operation }> {
  const bytes = Buffer.concat(await request.toArray());
  const early = first?.(request);
  if (early !== undefined) return early;
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
  const pathOf = ({ node, path }: Operation): string =>
    node.list('servers').length > 0 ? path : `${basePath}${path}`;
  const operation = operations.find(
    (one) => one.method === request.method && valuesIn(pathOf(one), pathname) !== undefined,
  );
  if (operation === undefined) return { status: 404 };
  const inPath = new Map(Object.entries(valuesIn(pathOf(operation), pathname) ?? {}));
  const [, caller = ''] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const { secured, body, parameters } = operation;
  if (secured && caller !== owners.first && caller !== owners.second) return { status: 401 };
  const texts = [...inPath.values()].map(textOf);
  if (texts.includes(undefined)) return { status: 400 };
  const id = texts.at(-1) ?? '';
  for (const { in: place, name, schema, exploded } of parameters) {
    const inPlace = place === 'path' && !takesAnyPath ? [textOf(inPath.get(name) ?? '') ?? ''] : [];
    const texts = place === 'query' ? query.getAll(name) : inPlace;
    const isList = schema.at('items') !== undefined && texts.length > 0;
    const lists = isList ? [exploded ? texts : texts.flatMap((text) => text.split(','))] : texts;
    const isWrong =
      lists.length > 1 || lists.some((text) => violationsOf(schema, readText(schema, text)).length > 0);
    if (isWrong) return { status: 400 };
  }
  const isJson = withoutParameters(request.headers['content-type'] ?? '') === body?.mediaType;
  const sent = body === undefined ? null : isJson ? jsonOf(bytes) : undefined;
  if (sent === undefined || (body && violationsOf(body.schema, sent).length > 0)) return { status: 400 };
  const { headers } = request;
  const answered = answers[operation.id]?.({ id, headers, query, body: sent, caller }) ?? { status: 404 };
  return { ...answered, operation };
}

/** @returns the texts of the parameters of a path, such as `/plants/{plantId}`; undefined if it is another path */
function valuesIn(path: string, pathname: string): Record<string, string> | undefined {
  const pattern = path.replaceAll('.', '\\.').replaceAll(/\{([^{}]+)\}/g, '(?<$1>[^/]+)');
  const found = new RegExp(`^${pattern}$`).exec(pathname);
  return found === null ? undefined : { ...found.groups };
}

function textOf(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function jsonOf(bytes: Buffer): Value | undefined {
  try {
    return readJson(bytes);
  } catch {
    return undefined;
  }
}

/** A member of an object, as a text. */
export function textIn(value: Value | undefined, name: string): string {
  return isObject(value) ? String(value[name]) : '';
}
