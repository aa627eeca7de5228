/** Reads the responses of an operation, and says which of them documents a status. */
import type { OpenAPIV3 } from 'openapi-types';
import { ContractError, readPart } from '../../schema/contract-error.js';
import { type Content, jsonContentOf } from './content.js';
import { type Place, resolvedNode } from './resolved.js';

export interface Response {
  /** The key in the YAML: `404`, `4XX` or `default`. */
  readonly key: string;
  /** The body; undefined if the answer has none. */
  readonly content: AnswerContent | undefined;
  /** The names of the documented headers. */
  readonly headers: readonly string[];
  readonly requiredHeaders: readonly string[];
  /** Where it stands in the YAML. */
  readonly place: string;
}

interface AnswerContent extends Content {
  readonly mediaType: string;
  /** The media type with the charset that Fastify adds. */
  readonly sentType: string;
}

/** The statuses from 200 to 599, because a 1xx does not end a request (RFC 9110, section 15). */
const finalStatuses = Array.from({ length: 400 }, (_, index) => 200 + index);

/**
 * @returns the response of each status. A status wins over its range, and a range over `default` (OpenAPI
 * 3.0.3, "Responses Object")
 * @throws {ContractError} if a response is not supported
 */
export function responsesOf(
  responses: OpenAPIV3.ResponsesObject,
  placeIn: Place,
): ReadonlyMap<number, Response> {
  const faults: string[] = [];
  const written = new Map(
    Object.entries(responses)
      .filter(([key]) => !key.startsWith('x-'))
      .map(([key, response]) => {
        const place: Place = (...rest) => placeIn('responses', key, ...rest);
        return [key, readPart(faults, () => responseOf(key, resolvedNode(response, place()), place))];
      }),
  );
  if (faults.length > 0) throw new ContractError(faults);
  const winners = finalStatuses.map(
    (status) =>
      [status, written.get(`${status}`) ?? written.get(rangeOf(status)) ?? written.get('default')] as const,
  );
  return new Map(winners.flatMap(([status, response]) => (response ? [[status, response]] : [])));
}

/** @returns the range of a status: 404 → `4XX` */
function rangeOf(status: number): string {
  return `${Math.floor(status / 100)}XX`;
}

function responseOf(
  key: string,
  { content, headers = {} }: OpenAPIV3.ResponseObject,
  place: Place,
): Response {
  const requiredHeaders = Object.entries(headers)
    .filter(([, header]) => resolvedNode(header, place()).required === true)
    .map(([name]) => name);
  return {
    key,
    content: content && answerContentOf(content, place),
    headers: Object.keys(headers),
    requiredHeaders,
    place: place(),
  };
}

function answerContentOf(
  content: NonNullable<OpenAPIV3.ResponseObject['content']>,
  place: Place,
): AnswerContent {
  const types = [...jsonContentOf(content, (...rest) => place('content', ...rest))];
  // jsonContentOf has refused empty content, so there is a first type.
  const [[mediaType, documented], another] = types as [(typeof types)[0], (typeof types)[0]?];
  if (another !== undefined) {
    throw new ContractError(
      `${place('content')}: an answer of several media types is not supported: keep one.`,
    );
  }
  return { ...documented, mediaType, sentType: `${mediaType}; charset=utf-8` };
}
