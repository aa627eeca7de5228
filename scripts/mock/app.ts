import SwaggerParser from '@apidevtools/swagger-parser';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3 } from 'openapi-types';
import { bearerCheck } from '../../src/access/bearer.js';
import { makeServer, routeService, type ServerParts } from '../../src/app.js';
import { type Contract, ContractError, type Operation } from '../../src/contract/document.js';
import type { AnyAnswer, AnyHandler } from '../../src/contract/handlers.js';
import { InvalidRequestError } from '../../src/contract/request-errors.js';
import { memoryHandlers } from './memory.js';

/** A token that may stand in a file: it opens no service. Any other of its form will do, and is another owner's. */
export const mockToken = 'plant_mock000000000000000000000000000bEFbk';

interface MockParts extends ServerParts {
  /** Whether plants are kept in memory; otherwise, answers are the document's examples. */
  readonly stateful?: boolean;
}

/** The service without its database: the same routes, checks and errors. */
export async function buildMock({ stateful = false, ...parts }: MockParts): Promise<FastifyInstance> {
  const app = makeServer(parts);
  const answers = await exampleAnswers(parts.contract);

  // After the security check and validation: what is wrong with a request shows as it does in the service.
  app.addHook('preHandler', async (request, reply) => {
    const { operation } = request.routeOptions.config;
    if (operation === undefined) return;
    const preference = readPreference(String(request.headers['prefer'] ?? ''));
    if (preference.code === undefined && preference.example === undefined) return;
    const { status, headers = {}, body } = choose(answers.get(operation.id) ?? [], operation, preference);
    // RFC 7240, section 3.
    reply.header('Preference-Applied', `code=${status}`);
    reply.code(status).headers(headers);
    return body === undefined ? reply.send() : reply.type('application/json').send(body);
  });

  // Each token is an owner of its own.
  const everybody = { find: async (hash: string) => ({ owner: hash, remaining: null }) };
  await routeService(app, parts, {
    security: { bearerAuth: await bearerCheck(app, everybody) },
    handlers: stateful ? memoryHandlers() : exampleHandlers(parts.contract, answers),
  });
  return app;
}

type Answers = ReadonlyMap<string, readonly ExampleAnswer[]>;

/** Each operation succeeds, with the first of its examples. */
function exampleHandlers({ operations }: Contract, answers: Answers): Record<string, AnyHandler> {
  return Object.fromEntries(
    operations.map((operation) => {
      const success = choose(answers.get(operation.id) ?? [], operation, {});
      return [operation.id, async ({ query }) => withinLimit(success, query)];
    }),
  );
}

/** An array is cut to what a parameter `limit` asks for. */
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

/** `code=400, example=range`, as Prism reads it; RFC 7240 also allows a semicolon and quotes. */
function readPreference(prefer: string): Preference {
  const pairs = [...prefer.matchAll(/([a-z]+)\s*=\s*"?([\w-]+)"?/gi)];
  const preferred = (name: string) => pairs.find(([, key]) => key?.toLowerCase() === name)?.[2];
  return { code: preferred('code'), example: preferred('example') };
}

interface ExampleAnswer extends AnyAnswer {
  readonly example: string | undefined;
}

/** The first answer that is asked for; without a code, the success. The first example is the default. */
function choose(
  answers: readonly ExampleAnswer[],
  { id }: Operation,
  { code, example }: Preference,
): ExampleAnswer {
  const status = code ?? String(Math.min(...answers.map((answer) => answer.status)));
  const found = answers.find(
    (answer) => String(answer.status) === status && (example === undefined || answer.example === example),
  );
  if (found !== undefined) return found;
  const known = answers.map((answer) => `${answer.status} ${answer.example ?? ''}`.trim());
  throw new InvalidRequestError(`${id} documents no such answer, but these: ${known.join(', ')}.`);
}

/** By operationId: one answer for each example of each documented status. */
async function exampleAnswers(contract: Contract): Promise<Answers> {
  // The parser types its result for all versions of OpenAPI; the contract is 3.0.
  const resolved = (await SwaggerParser.dereference(
    structuredClone(contract.document),
  )) as OpenAPIV3.Document;
  return new Map(
    contract.operations.map(({ id, path, method }) => {
      // The methods of an operation are the names of its path's members.
      const responses =
        resolved.paths[path]?.[method.toLowerCase() as OpenAPIV3.HttpMethods]?.responses ?? {};
      const answers = Object.entries(responses).flatMap(([status, response]) =>
        // The parser has resolved all references.
        '$ref' in response ? [] : answersOf(id, Number(status), response),
      );
      return [id, answers];
    }),
  );
}

function answersOf(
  id: string,
  status: number,
  { headers: headerObjects = {}, content }: OpenAPIV3.ResponseObject,
): ExampleAnswer[] {
  const headers = Object.fromEntries(
    Object.entries(headerObjects).map(([name, header]) => [
      name,
      '$ref' in header ? '' : String(header.example),
    ]),
  );
  const json = content?.['application/json'];
  if (json === undefined) return [{ status, headers, example: undefined }];
  const examples = Object.entries(json.examples ?? {});
  if (examples.length === 0) throw new ContractError(`${id}: the answer ${status} needs an example.`);
  return examples.map(([example, object]) => ({
    status,
    headers,
    example,
    body: '$ref' in object ? undefined : object.value,
  }));
}
