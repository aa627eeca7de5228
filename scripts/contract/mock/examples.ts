/**
 * Answers by the document's examples: for each operation, each example of each documented status is one
 * answer. The caller chooses one by `Prefer`; otherwise it gets the first one of the success.
 */
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPIV3 } from 'openapi-types';
import type { Contract, Operation } from '../../../src/contract/document/document.js';
import type { AnyAnswer, AnyHandler } from '../../../src/contract/handlers.js';
import { InvalidRequestError } from '../../../src/contract/request/request-errors.js';
import { answerHeaders } from '../../../src/http/answer-headers.js';
import { addedByMock } from './any-contract.js';
import { sampleOf } from './samples.js';

/** The server sets these headers, so their examples are not sent. */
const ownHeaders = Object.keys(answerHeaders());

/** The answers of each operation, by its operationId. */
type Answers = ReadonlyMap<string, readonly ExampleAnswer[]>;

/**
 * Makes a handler for each operation, which answers its success with the first example.
 *
 * @throws {InvalidRequestError} if an operation has no answer
 */
export function exampleHandlers({ operations }: Contract, answers: Answers): Record<string, AnyHandler> {
  return Object.fromEntries(
    operations.map((operation) => {
      const success = choose(answers.get(operation.id) ?? [], operation, {});
      return [operation.id, async ({ query }) => withinLimit(success, query)];
    }),
  );
}

/**
 * Chooses the first example of a status.
 *
 * @param id an operationId
 * @returns undefined if the operation does not document the status
 */
export function documentedAnswer(
  { operations }: Contract,
  answers: Answers,
  id: string,
  status: number,
): AnyAnswer | undefined {
  const operation = operations.find((one) => one.id === id);
  const known = answers.get(id) ?? [];
  const key = operation?.responses.get(status)?.key;
  if (operation === undefined || known.every((answer) => answer.key !== key)) return undefined;
  return choose(known, operation, { code: String(status) });
}

/** Shortens an array to the parameter `limit`. */
function withinLimit({ body, ...answer }: ExampleAnswer, query: unknown): AnyAnswer {
  const limit = typeof query === 'object' && query !== null && 'limit' in query ? query.limit : undefined;
  return {
    ...answer,
    body: Array.isArray(body) && limit !== undefined ? body.slice(0, Number(limit)) : body,
  };
}

interface Preference {
  readonly code?: string | undefined;
  readonly example?: string | undefined;
}

/** Reads `code=400, example=range`, as Prism does. RFC 7240 also allows a semicolon and quotes. */
export function readPreference(prefer: string): Preference {
  const pairs = [...prefer.matchAll(/([a-z]+)\s*=\s*"?([\w-]+)"?/gi)];
  const preferred = (name: string) => pairs.find(([, key]) => key?.toLowerCase() === name)?.[2];
  return { code: preferred('code'), example: preferred('example') };
}

interface ExampleAnswer extends AnyAnswer {
  readonly example: string | undefined;
  /** Its key in the document: `404`, `4XX` or `default`. */
  readonly key: string;
}

/**
 * Chooses the first answer that fits the preference. Without one, it is the success, and its first example.
 *
 * @throws {InvalidRequestError} if the operation has no such answer
 */
export function choose(
  answers: readonly ExampleAnswer[],
  { id, responses }: Operation,
  { code, example }: Preference,
): ExampleAnswer {
  const key = code === undefined ? successKey(answers) : responses.get(Number(code))?.key;
  const found = answers.find(
    (answer) => answer.key === key && (example === undefined || answer.example === example),
  );
  if (found !== undefined) return code === undefined ? found : { ...found, status: Number(code) };
  const known = answers.map((answer) => `${answer.key} ${answer.example ?? ''}`.trim());
  throw new InvalidRequestError(`${id} does not document this answer. It documents: ${known.join(', ')}.`);
}

/** The first documented status or range of success, else `default`. */
function successKey(answers: readonly ExampleAnswer[]): string | undefined {
  const keys = answers.map(({ key }) => key).sort();
  return keys.find((key) => key.startsWith('2')) ?? keys.find((key) => key === 'default') ?? keys[0];
}

/** Makes the answers of each operation: one for each example of each documented status. */
export async function exampleAnswers(contract: Contract): Promise<Answers> {
  // The parser's type covers all versions of OpenAPI, and the contract is always 3.0.
  const resolved = (await SwaggerParser.dereference(
    structuredClone(contract.document),
  )) as OpenAPIV3.Document;
  return new Map(
    contract.operations.map(({ id, path, method, responses: documented }) => {
      // A path item names the methods of its operations in lower case.
      const responses =
        resolved.paths[path]?.[method.toLowerCase() as OpenAPIV3.HttpMethods]?.responses ?? {};
      const answers = Object.entries(responses).flatMap(([key, response]) => {
        // A range stands for its first status without a description of its own. A 1xx does not end a request.
        const [status] = [...documented].find(([, winner]) => winner.key === key) ?? [];
        // The parser has resolved all references.
        if ('$ref' in response || status === undefined || addedByMock in response) return [];
        return answersOf(key, status, response);
      });
      return [id, answers];
    }),
  );
}

function answersOf(
  key: string,
  status: number,
  { headers: headerObjects = {}, content }: OpenAPIV3.ResponseObject,
): ExampleAnswer[] {
  const headers = Object.fromEntries(
    Object.entries(headerObjects)
      .filter(([name]) => !ownHeaders.includes(name))
      .flatMap(([name, header]) => {
        if ('$ref' in header) return [];
        const { example = header.required ? sampleOf(header.schema) : undefined } = header;
        return example === undefined ? [] : [[name, String(example)]];
      }),
  );
  const [json] = Object.values(content ?? {});
  if (json === undefined) return [{ key, status, headers, example: undefined }];
  const examples = Object.entries(json.examples ?? {});
  if (examples.length === 0) {
    const body = json.example ?? sampleOf(json.schema);
    return [{ key, status, headers, example: undefined, body }];
  }
  return examples.map(([example, object]) => ({
    key,
    status,
    headers,
    example,
    body: '$ref' in object ? undefined : object.value,
  }));
}
