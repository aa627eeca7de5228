/**
 * Says once what every response has. Each response of this project's contract documents `X-Request-Id` with a
 * paragraph, and the page would repeat that for each status of each operation: on a telephone, screens of
 * nothing new.
 */
import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIV3 } from 'openapi-types';
import { pathOfReference, valueAt } from '../../../exact-json/index.js';
import { methods } from '../contract/document/operations.js';

type Header = OpenAPIV3.HeaderObject | OpenAPIV3.ReferenceObject;

/**
 * Moves the headers that every response of a document has to the description at its top.
 *
 * @returns a document with other responses and another description; the given one stays as it is
 */
export function withCommonHeadersOnce(document: OpenAPIV3.Document): OpenAPIV3.Document {
  const copy = structuredClone(document);
  const headers = responsesIn(copy).map((response) => response.headers ?? {});
  const [first = {}, ...others] = headers;
  const common = Object.entries(first).filter(([name, header]) =>
    others.every((other) => isDeepStrictEqual(other[name], header)),
  );
  for (const [name, header] of common) {
    for (const one of headers) delete one[name];
    const { description = '' } = referredHeader(copy, header);
    copy.info.description = `${copy.info.description ?? ''}\n\nEvery answer has the header \`${name}\`. ${description}`;
  }
  return copy;
}

/** @returns the responses of all operations. Responses that are references are found among the components. */
function responsesIn({ paths, components }: OpenAPIV3.Document): OpenAPIV3.ResponseObject[] {
  const ofOperations = withoutExtensions(paths)
    .flatMap((path) => methods.map((method) => path?.[method]?.responses ?? {}))
    .flatMap(withoutExtensions);
  return [...ofOperations, ...Object.values(components?.responses ?? {})].flatMap((response) =>
    '$ref' in response ? [] : response,
  );
}

/** An extension (`x-…`) stands beside paths and responses, and may have any value. */
function withoutExtensions<Member>(map: Readonly<Record<string, Member>>): Member[] {
  return Object.entries(map).flatMap(([name, member]) => (name.startsWith('x-') ? [] : [member]));
}

function referredHeader(document: OpenAPIV3.Document, header: Header): OpenAPIV3.HeaderObject {
  if (!('$ref' in header)) return header;
  // The document is valid, so the reference leads to a header.
  return valueAt(document, pathOfReference(header.$ref)) as OpenAPIV3.HeaderObject;
}
