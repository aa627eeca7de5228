/** Reads the responses of an operation, and says which of them documents a status. */
import { ContractError, type Node, readPart } from '../../../../exact-json/index.js';
import type { SchemaReader } from '../../schema/schema-reader.js';
import { type Content, jsonContentOf } from './content.js';

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
  responses: Node | undefined,
  schemaOf: SchemaReader,
): ReadonlyMap<number, Response> {
  const faults: string[] = [];
  const written = new Map(
    (responses?.members() ?? [])
      .filter(([key]) => !key.startsWith('x-'))
      .map(([key, response]) => [key, readPart(faults, () => responseOf(key, response, schemaOf))]),
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

function responseOf(key: string, response: Node, schemaOf: SchemaReader): Response {
  const headers = response.at('headers')?.members() ?? [];
  const content = response.at('content');
  return {
    key,
    content: content && answerContentOf(content, schemaOf),
    headers: headers.map(([name]) => name),
    requiredHeaders: headers.filter(([, header]) => header.flag('required')).map(([name]) => name),
    place: response.use.place,
  };
}

function answerContentOf(content: Node, schemaOf: SchemaReader): AnswerContent {
  const types = [...jsonContentOf(content, schemaOf)];
  // jsonContentOf has refused empty content, so there is a first type.
  const [[mediaType, documented], another] = types as [(typeof types)[0], (typeof types)[0]?];
  if (another !== undefined) {
    throw new ContractError(`${content.place}: an answer of several media types is not supported: keep one.`);
  }
  return { ...documented, mediaType, sentType: `${mediaType}; charset=utf-8` };
}
