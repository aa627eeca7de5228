import SwaggerParser from '@apidevtools/swagger-parser';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3 } from 'openapi-types';
import { bearerCheck } from '../../../src/access/bearer.js';
import { routeService } from '../../../src/app.js';
import type { Contract, Operation } from '../../../src/contract/document/document.js';
import type { AnyAnswer, AnyHandler } from '../../../src/contract/handlers.js';
import { InvalidRequestError } from '../../../src/contract/request/request-errors.js';
import { exactJson } from '../../../src/contract/schema/exact-json.js';
import { answerHeaders } from '../../../src/http/answer-headers.js';
import { makeServer, type ServerParts } from '../../../src/http/server.js';
import { addedByMock } from './any-contract.js';
import { memoryOf } from './memory.js';
import { sampleOf } from './samples.js';

/**
 * The token that the mock prints. It need not be secret, because no service accepts it. Any other token of
 * this form is another owner of the mock.
 */
export const mockToken = 'plant_mock000000000000000000000000000bEFbk';

interface MockParts extends ServerParts {
  /** Keeps items in memory. Otherwise all answers are the document's examples. */
  readonly stateful?: boolean;
  /** Says which owner a token belongs to. By default, each token is an owner of its own. */
  readonly owners?: Parameters<typeof bearerCheck>[1];
  /** Answers failures as the document has them, and not in the service's own form. */
  readonly documentedFailures?: boolean;
  /**
   * Is called with the paths of the collections whose items are kept, and the operations that answer
   * examples.
   */
  readonly onReady?: (kept: readonly string[], examples: readonly string[]) => void;
}

const everybody = { find: async (hash: string) => ({ owner: hash, remainingMs: null }) };

/** The service without its database: the same routes, checks and errors. */
export async function buildMock({
  stateful = false,
  documentedFailures = false,
  owners = everybody,
  onReady,
  ...parts
}: MockParts): Promise<FastifyInstance> {
  const app = makeServer(parts);
  const answers = await exampleAnswers(parts.contract);

  // After the security check and validation, so that a bad request gets the same error as in the service.
  app.addHook('preHandler', async (request, reply) => {
    const { operation } = request.routeOptions.config;
    if (operation === undefined) return;
    const preference = readPreference(String(request.headers['prefer'] ?? ''));
    if (preference.code === undefined && preference.example === undefined) return;
    const { status, headers = {}, body } = choose(answers.get(operation.id) ?? [], operation, preference);
    // RFC 7240, section 3.
    reply.header('Preference-Applied', `code=${status}`);
    reply.code(status).headers(headers);
    const { mediaType } = operation.responses.get(status)?.content ?? {};
    return body === undefined || mediaType === undefined ? reply.send() : reply.type(mediaType).send(body);
  });

  if (documentedFailures) {
    // A failure of the service's own layer need not fit the document, which describes failures of its own.
    app.addHook('preSerialization', async (_request, reply, payload) => {
      if (reply.statusCode >= 400) reply.serializer((body) => exactJson(body));
      return payload;
    });
    app.addHook('onSend', async (request, reply, payload) => {
      const { operation } = request.routeOptions.config;
      if (reply.statusCode < 400 || operation === undefined) return payload;
      const { statusCode } = reply;
      const documented = (status: number) => documentedAnswer(parts.contract, answers, operation.id, status);
      // Many answer 422 where the service answers 400.
      const answer = documented(statusCode) ?? (statusCode === 400 ? documented(422) : undefined);
      if (answer === undefined) return payload;
      reply.code(answer.status);
      reply.removeHeader('content-length').headers(answer.headers ?? {});
      const { mediaType } = operation.responses.get(answer.status)?.content ?? {};
      if (answer.body === undefined || mediaType === undefined) {
        reply.removeHeader('content-type');
        return '';
      }
      reply.type(mediaType);
      return typeof payload === 'string' && reply.hasHeader('preference-applied')
        ? payload
        : exactJson(answer.body);
    });
  }

  // Tokens are good in every security scheme.
  const check = await bearerCheck(app, owners);
  const schemes = parts.contract.operations.flatMap(({ security }) => security.flat());
  const memory = stateful
    ? memoryOf(parts.contract, (id, status) => documentedAnswer(parts.contract, answers, id, status))
    : { handlers: {}, kept: [] };
  const examples = parts.contract.operations.filter(({ id }) => !Object.hasOwn(memory.handlers, id));
  onReady?.(
    memory.kept,
    examples.map(({ id }) => id),
  );
  await routeService(app, parts, {
    security: Object.fromEntries(schemes.map((scheme) => [scheme, check])),
    // Operations that the memory does not have always answer with their examples.
    handlers: { ...exampleHandlers(parts.contract, answers), ...memory.handlers },
  });
  return app;
}

/** The server sets them, so that their examples are not sent. */
const ownHeaders = Object.keys(answerHeaders());

type Answers = ReadonlyMap<string, readonly ExampleAnswer[]>;

/** Each operation answers its success, with the first example. */
function exampleHandlers({ operations }: Contract, answers: Answers): Record<string, AnyHandler> {
  return Object.fromEntries(
    operations.map((operation) => {
      const success = choose(answers.get(operation.id) ?? [], operation, {});
      return [operation.id, async ({ query }) => withinLimit(success, query)];
    }),
  );
}

/** @returns undefined if the operation does not document the status */
function documentedAnswer(
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

/** A parameter `limit` shortens an array. */
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
function readPreference(prefer: string): Preference {
  const pairs = [...prefer.matchAll(/([a-z]+)\s*=\s*"?([\w-]+)"?/gi)];
  const preferred = (name: string) => pairs.find(([, key]) => key?.toLowerCase() === name)?.[2];
  return { code: preferred('code'), example: preferred('example') };
}

interface ExampleAnswer extends AnyAnswer {
  readonly example: string | undefined;
  /** Its key in the document: `404`, `4XX` or `default`. */
  readonly key: string;
}

/** The first answer that fits the preference. The default is the success, and its first example. */
function choose(
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

/** The keys are operationIds. Each example of each documented status is one answer. */
async function exampleAnswers(contract: Contract): Promise<Answers> {
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
