/** Describes the documented answers of an operation. */
import { withoutParameters } from './media-types.js';
import type { Node } from './node.js';

export interface Header {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Node | undefined;
  readonly node: Node;
}

export interface Response {
  /** The key in the document: `404`, `4XX` or `default`. */
  readonly key: string;
  readonly headers: readonly Header[];
  /** The keys are media types, the values the schemas of their bodies. It is empty if there is no body. */
  readonly content: ReadonlyMap<string, Node | undefined>;
  readonly node: Node;
}

/** The more specific key of a status wins (OpenAPI 3.0.3, "Responses Object"). */
export function responsesOf(operation: Node): ReadonlyMap<number, Response> {
  const byKey = new Map(
    (operation.at('responses')?.members() ?? []).map(([key, node]) => [key, responseOf(key, node)]),
  );
  const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
  return new Map(
    statuses.flatMap((status) => {
      const keys = [String(status), `${String(status).charAt(0)}XX`, 'default'];
      const key = keys.find((one) => byKey.has(one));
      const response = key === undefined ? undefined : byKey.get(key);
      return response === undefined ? [] : [[status, response]];
    }),
  );
}

function responseOf(key: string, node: Node): Response {
  return {
    key,
    headers: (node.at('headers')?.members() ?? []).map(([name, header]) => ({
      name,
      required: header.flag('required'),
      schema: header.at('schema'),
      node: header,
    })),
    content: new Map(
      (node.at('content')?.members() ?? []).map(([type, media]) => [
        withoutParameters(type),
        media.at('schema')?.facing('response'),
      ]),
    ),
    node,
  };
}

/** @returns the media types of its answers whose items have a schema of their own (OpenAPI 3.2, "itemSchema") */
export function streamsOf(operation: Node): readonly string[] {
  const content = operation.list('responses').flatMap((response) => response.at('content')?.members() ?? []);
  return content.filter(([, media]) => media.at('itemSchema') !== undefined).map(([type]) => type);
}
