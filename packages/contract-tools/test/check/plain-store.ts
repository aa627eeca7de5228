/**
 * A small server of a contract that the checker has not seen: it makes items, shows them and lists them, in the
 * form that a test asks for.
 */

import { createServer, type IncomingMessage } from 'node:http';
import type { Scope } from '../../src/base/scope.js';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { describe } from '../../src/check/document/description.js';
import { readText } from '../../src/check/values/parameter-text.js';
import type { Report } from '../../src/check/verdict/report.js';
import type { Operation } from '../../src/document/operations.js';
import { readDocument } from '../../src/document/read-document.js';
import { isObject, readJson, type Value, type ValueObject, writeJson } from '../../src/values/json.js';
import { violationsOf } from '../../src/values/schema.js';

interface Shown {
  readonly status: number;
  readonly body: Value;
}

interface Store {
  /** The document; its first path is that of the items, such as `/issues/{id}`, and its second the collection's. */
  readonly yaml: string;
  /** Makes the form in which answers show an item. */
  show(item: ValueObject): ValueObject;
  /** Makes the form in which the list shows an item; by default the same. */
  readonly listed?: (item: ValueObject) => ValueObject;
  /** The answer to a create; by default a 201 that shows the item. */
  readonly created?: (shown: ValueObject) => Shown;
  /** The media types of the bodies that are read as JSON; by default that of the document. */
  readonly mediaTypes?: RegExp;
  /** The rules that are on. */
  readonly rules?: readonly string[];
}

/** Checks a server that keeps this store, with few generated cases. */
export async function checkStore(
  scope: Scope,
  { yaml, show, listed = show, created, mediaTypes = /^application\/json\s*(;|$)/i, rules = [] }: Store,
): Promise<Report> {
  const document = readDocument(yaml, 'store.yaml');
  const items = new Map<bigint, ValueObject>();
  const operationOf = finderOf(describe(document).operations);
  const answer = async (request: IncomingMessage): Promise<Partial<Shown> & { status: number }> => {
    const bytes = Buffer.concat(await request.toArray());
    const found = operationOf(request.method, request.url);
    if (found === undefined) return { status: 404 };
    const { operation, text } = found;
    if (text !== undefined) {
      const id = idOf(operation, text);
      const item = id === undefined ? undefined : items.get(id);
      if (item !== undefined) return { status: 200, body: show(item) };
      return { status: id === undefined ? 400 : 404 };
    }
    if (operation.body === undefined) return { status: 200, body: [...items.values()].map(listed) };
    const isJson = mediaTypes.test(request.headers['content-type'] ?? '');
    const sent = isJson ? bodyOf(operation, bytes) : undefined;
    if (sent === undefined) return { status: 400 };
    const id = BigInt(items.size + 1);
    items.set(id, { id, ...sent });
    const shown = show({ id, ...sent });
    return created?.(shown) ?? { status: 201, body: shown };
  };
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, body }) => {
        response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
        response.end(body === undefined ? undefined : writeJson(body));
      },
      (error: unknown) => response.writeHead(599).end(String(error)),
    );
  });
  const url = new URL(await serveIn(scope, server));
  return check({
    ...{ document, url, seed: 1, cases: 20 },
    rules: { on: new Set(rules), file: undefined },
  });
}

function finderOf(operations: readonly Operation[]) {
  return (method = '', target = '') => {
    const [, collection = '', text] = /^(\/[^/?]+)(?:\/([^/?]+))?/.exec(target) ?? [];
    const operation = operations.find(
      (one) =>
        one.method === method &&
        one.path.startsWith(collection) &&
        one.path.includes('{') === (text !== undefined),
    );
    return operation && { operation, text };
  };
}

function idOf({ parameters }: Operation, text: string): bigint | undefined {
  const [parameter] = parameters;
  try {
    const id = parameter && readText(parameter.schema, decodeURIComponent(text));
    return typeof id === 'bigint' && parameter && violationsOf(parameter.schema, id).length === 0
      ? id
      : undefined;
  } catch {
    return undefined;
  }
}

function bodyOf({ body }: Operation, bytes: Buffer): ValueObject | undefined {
  try {
    const value = readJson(bytes);
    return isObject(value) && body && violationsOf(body.schema, value).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
